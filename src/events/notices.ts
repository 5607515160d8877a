import type { Log } from '../access/ctx.ts'
import type { DatabaseServer } from '../database/connections/server.ts'
import { Notices } from '../database/notices.ts'
import type { Feed } from './feed.ts'

/** Wakes the readers of the feed when another node has committed something. */
export function hearOthers(server: DatabaseServer, feed: Feed, log: Log): Notices {
  return new Notices({
    server,
    channel: 'recto_changes',
    onNotice: () => feed.wake(),
    onLost: (error) =>
      log.warn({ err: error }, 'no notices of other nodes: readers of the feed wait for the poll'),
  })
}
