import { assertStatus, type Client } from './client.ts'

/** What a scrape said: the types of the metrics, and the values of their samples by name and labels. */
export interface Scrape {
  readonly types: ReadonlyMap<string, string>
  readonly samples: ReadonlyMap<string, number>
}

export async function scrape(client: Client): Promise<Scrape> {
  const { text } = assertStatus(await client.get('/metrics'), 200)
  const types = new Map<string, string>()
  const samples = new Map<string, number>()
  for (const line of text.split('\n')) {
    const [, name, type] = /^# TYPE (\S+) (\S+)/.exec(line) ?? []
    if (name !== undefined && type !== undefined) types.set(name, type)
    const [, key, value] = /^(?!#)(.+) (\S+)$/.exec(line) ?? []
    if (key !== undefined) samples.set(key, Number(value))
  }
  return { types, samples }
}

/** Runs `work`, and returns how often each prepared statement that reads ran meanwhile, by its name. */
export async function readsDuring(
  client: Client,
  work: () => Promise<unknown>,
): Promise<Readonly<Record<string, number>>> {
  const before = await readsSoFar(client)
  await work()
  const after = [...(await readsSoFar(client))]
  return Object.fromEntries(
    after.map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const).filter(([, n]) => n > 0),
  )
}

/** The follower that fills the inboxes reads its cursor whenever something is committed. */
const READS =
  /^recto_database_statement_seconds_count\{name="((?!read_notification_cursor")(?:read|list)_[^"]*|select file[^"]*)"/

async function readsSoFar(client: Client): Promise<ReadonlyMap<string, number>> {
  const { samples } = await scrape(client)
  return new Map(
    [...samples].flatMap(([key, count]) => {
      const name = READS.exec(key)?.[1]
      return name === undefined ? [] : [[name, count] as const]
    }),
  )
}
