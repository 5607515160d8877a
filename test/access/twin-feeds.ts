import { assertStatus, type Client } from '../support/client.ts'

interface FeedReader {
  readonly name: string
  readonly client: Client
  readonly headers: Readonly<Record<string, string>>
}

export interface Feeds {
  /** Writes a page and returns what each reader was told up to it: events by polling, and the streams as text. */
  finish(marker: string): Promise<readonly ReaderFeed[]>
}

export interface ReaderFeed {
  readonly name: string
  readonly polled: string
  /** Of a stream that began at the same place, but later. */
  readonly resumed: string
  /** Of a stream that was open all the time. */
  readonly live: string
}

/** Lets readers follow the feed from now on, in every way that there is. All of them see the space `open`. */
export async function startFeeds(admin: Client, readers: readonly FeedReader[]): Promise<Feeds> {
  const started = await Promise.all(
    readers.map(async (reader) => {
      const { client, headers } = reader
      const since = assertStatus(await client.get('/changes?since=now', headers), 200).json.nextCursor
      return { ...reader, since, live: await openStream(reader, since) }
    }),
  )
  return {
    async finish(marker) {
      assertStatus(await admin.put(`/pages/open/${marker}`, 'x'), 201)
      return Promise.all(
        started.map(async ({ name, live, since, ...reader }) => ({
          name,
          polled: await poll(reader.client, reader.headers, since, marker),
          resumed: await readTo(await openStream({ name, ...reader }, since), marker),
          live: await readTo(live, marker),
        })),
      )
    },
  }
}

async function poll(client: Client, headers: FeedReader['headers'], since: string, marker: string) {
  const events: string[] = []
  for (let cursor = since; !events.at(-1)?.includes(marker); ) {
    const path = `/changes?limit=200&wait=10&since=${cursor}`
    const { json } = assertStatus(await client.get(path, headers), 200)
    for (const item of json.items) events.push(JSON.stringify(item))
    cursor = json.nextCursor
  }
  return events.join('\n')
}

async function openStream({ client, headers }: FeedReader, since: string): Promise<Response> {
  const authorization = client.key === undefined ? {} : { authorization: `Bearer ${client.key}` }
  const response = await fetch(`${client.base}/changes?since=${since}`, {
    headers: { ...authorization, ...headers, accept: 'text/event-stream' },
  })
  if (response.status !== 200) throw new Error(`the stream answered ${response.status}`)
  return response
}

/** The events of a stream up to that of a page, without their cursors. */
async function readTo(stream: Response, marker: string): Promise<string> {
  let text = ''
  for await (const chunk of stream.body ?? []) {
    text += Buffer.from(chunk).toString()
    if (text.includes(`"path":"${marker}"`) && text.endsWith('\n\n')) break
  }
  return text.replace(/^(?:id|retry): .*\n/gm, '').replace(/^:.*\n/gm, '')
}
