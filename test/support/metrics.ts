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
