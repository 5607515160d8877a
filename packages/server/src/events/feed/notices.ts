import type { Log } from '../../access/ctx.ts'
import type { DatabaseServer } from '../../platform/database/connections/server.ts'
import { Notices } from '../../platform/database/notices.ts'
import type { Topics } from '../../platform/database/topics.ts'
import type { Feed } from './feed.ts'

/** Wakes the readers of the feed when another node has committed something, and exchanges topics with other nodes. */
export function listenToOtherNodes(
  server: DatabaseServer,
  feed: Pick<Feed, 'wake'>,
  topics: Topics,
  log: Log,
): Notices {
  const notices = new Notices({
    server,
    channel: 'recto_changes',
    onNotice(topicNotices) {
      feed.wake()
      topics.receive(topicNotices)
    },
    onLost: (error) => log.warn({ err: error }, 'no notices of other nodes: readers of the feed wait for the poll'),
  })
  topics.notifyOthersBy((notice) => notices.send(notice))
  return notices
}
