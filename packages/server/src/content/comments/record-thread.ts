import type { Ctx } from '../../access/ctx.ts'
import type { EventsCtx } from '../../events/feed/ctx.ts'
import type { ThreadEvent } from '../../events/feed/event.ts'
import { recordEvents } from '../../events/feed/record.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import { listMentions } from '../links/targets.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import type { ThreadRow } from './store-threads.ts'

/** A comment as it was written, and whom it mentions that it did not before. */
export interface SaidComment {
  readonly id: string
  readonly mentions: readonly string[]
}

/** Records what happened to a thread, or to a comment of it, as its caller reads it in this transaction. */
export async function recordThread(
  tx: EventsCtx & Ctx & Tx,
  row: ThreadRow,
  kind: ThreadEvent['kind'],
  comment?: SaidComment,
): Promise<void> {
  const { space_id: spaceId, id, path, number, page_id: pageId, file_id: fileId, page_path: from } = row
  const about = { ...(path !== null && { path }), ...(number !== null && { number }) }
  const state = row.resolved_at === null ? 'open' : 'resolved'
  const event: ThreadEvent = {
    kind,
    spaceId,
    threadId: id,
    ...(pageId !== null && { pageId }),
    ...(fileId !== null && { fileId }),
    actor: tx.actor,
    at: tx.now(),
    data: comment ? { id: comment.id, thread: id, ...about } : { id, state, ...about },
    ...(comment && comment.mentions.length > 0 && { mentions: comment.mentions }),
    ...(from !== null && { other: { spaceId, path: from } }),
  }
  await recordEvents(tx, [event])
}

/** The ids in the links to people of a text (`/people/<id>`). */
export async function findMentions({ pages, config }: PagesCtx, text: string): Promise<string[]> {
  if (!text.includes('/people/')) return []
  const { links } = await pages.markdown.render(text)
  return listMentions(links, config.publicUrl)
}
