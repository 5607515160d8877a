import { assertStatus, type Client } from './client.ts'

// biome-ignore lint/suspicious/noExplicitAny: events of every shape
export type FeedEvent = any

let markers = 0

/**
 * Reads the feed after a cursor up to a page that is written now, without it: an event is returned once no open
 * transaction can precede it, so that a single request may miss what was written before.
 */
export async function readFeed(
  client: Client,
  since: string,
  { space, limit = 200, writer = client }: FeedOptions,
): Promise<{ events: FeedEvent[]; cursor: string }> {
  const marker = `marker-${markers++}`
  assertStatus(await writer.put(`/pages/${space}/${marker}`, 'x'), 201)
  return readFeedTo(marker, client, since, limit)
}

/** Reads the feed after a cursor up to the first event of a page, without that event. */
export async function readFeedTo(
  path: string,
  client: Client,
  since: string,
  limit: number,
): Promise<{ events: FeedEvent[]; cursor: string }> {
  const events: FeedEvent[] = []
  for (let cursor = since; ; ) {
    const { json } = assertStatus(await client.get(`/changes?limit=${limit}&since=${cursor}&wait=10`), 200)
    events.push(...json.items)
    cursor = json.nextCursor
    if (events.at(-1)?.page?.path === path) {
      const isMarker = ({ page }: FeedEvent) => page?.path === path || page?.path.startsWith('marker-')
      return { events: events.filter((event) => !isMarker(event)), cursor }
    }
  }
}

interface FeedOptions {
  /** Where the marker is written. */
  readonly space: string
  readonly limit?: number
  /** Who writes it, if not the reader. */
  readonly writer?: Client
}

/** The position behind all that was written before. */
export async function endOfFeed(client: Client, options: FeedOptions): Promise<string> {
  const { nextCursor } = assertStatus(await client.get('/changes?since=now'), 200).json
  return (await readFeed(client, nextCursor, options)).cursor
}
