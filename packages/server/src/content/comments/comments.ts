import { AppError } from '@recto/contract/errors.ts'
import type { Ctx } from '../../access/ctx.ts'
import { requireSpace } from '../../access/space.ts'
import { recordAuditEntry } from '../../identity/principals/audit.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { findMentions, recordThread } from './record-thread.ts'
import type { Comment } from './schema.ts'
import { deleteComment, updateComment } from './store-comments.ts'
import type { CommentRow, ThreadRow } from './store-threads.ts'
import { requireCommenter } from './subject.ts'
import { requireThread, toComment, withThread } from './threads.ts'

/** Changes the text of a comment, for its author. */
export async function editComment(ctx: PagesCtx, id: string, body: string): Promise<Comment> {
  const mentionedIds = await findMentions(ctx, body)
  return withThread(ctx, { comment: id }, async (tx, row) => {
    await requireCommenter(tx, row.space, row)
    const before = pickComment(row, id)
    if (before.author.id !== tx.actor.id) throw new AppError('forbidden', 'Only its author edits a comment.')
    await updateComment(tx, row, { id, body, now: tx.now() })
    const mentions = mentionedIds.filter((each) => !before.body.includes(each))
    if (before.body !== body) await recordThread(tx, row, 'comment.updated', { id: before.id, mentions })
    const comment = toComment(row.id, pickComment(await requireThread(tx, { comment: id }), id))
    await tx.saveIdempotentResult(comment)
    return comment
  })
}

/** Deletes a comment, for its author and admins of the space; with its last comment a thread ends. */
export async function removeComment(ctx: PagesCtx, id: string): Promise<void> {
  let wasThere = false
  await withThread(ctx, { comment: id }, async (tx, row) => {
    wasThere = true
    const comment = pickComment(row, id)
    await requireRemover(tx, row, comment)
    await deleteComment(tx, row, id)
    if (comment.author.id !== tx.actor.id) await recordRemoval(tx, row, comment)
  }).catch((error: unknown) => {
    // An attempt whose commit was lost has deleted it.
    if (!(wasThere && error instanceof AppError && error.code === 'not_found')) throw error
  })
}

async function requireRemover(tx: Ctx & Tx, { space }: ThreadRow, { author }: CommentRow): Promise<void> {
  if (author.id === tx.actor.id && tx.actor.scope !== 'read') return
  const { rank } = await requireSpace(tx, space, 'viewer')
  if (rank < 3) throw new AppError('forbidden', 'Only its author and admins of the space delete a comment.')
}

/** Somebody else has deleted it. There is nobody else in a personal space. */
async function recordRemoval(tx: Ctx & Tx, row: ThreadRow, { id, author }: CommentRow): Promise<void> {
  const { space_id: spaceId, space, path, number } = row
  const target = { type: 'space', spaceId, id: space, name: space } as const
  const about = { ...(path !== null && { path }), ...(number !== null && { number }) }
  await recordAuditEntry(tx, { action: 'comment.deleted', target, details: { id, author: author.name, ...about } })
}

function pickComment({ comments }: ThreadRow, id: string): CommentRow {
  const comment = comments.find((each) => each.id === id.toLowerCase())
  if (!comment) throw new AppError('not_found', 'There is no such comment that you can read.')
  return comment
}
