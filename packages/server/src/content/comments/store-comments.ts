import { sql } from 'kysely'
import { currentVia } from '../../access/via.ts'
import { hasRows } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import type { ThreadRow } from './store-threads.ts'

type ThreadKey = Pick<ThreadRow, 'space_id' | 'id'>

/** Adds a comment to a locked thread, unless a lost attempt has; false: it has as many as it may have. */
export async function insertComment(
  tx: Pick<Tx, 'db'>,
  thread: ThreadKey,
  comment: {
    readonly id: string
    readonly authorId: string
    readonly body: string
    readonly now: Date
    readonly max: number
  },
): Promise<boolean> {
  const { id, authorId, body, now, max } = comment
  return hasRows(tx.db)`
    with inserted as (
      insert into comment (space_id, thread_id, id, author_id, body, created_at)
      select ${thread.space_id}, ${thread.id}, ${id}, ${authorId}, ${body}, ${now}
      where (select count(*) from comment where space_id = ${thread.space_id} and thread_id = ${thread.id}
        and id <> ${id}) < ${max}
      on conflict (space_id, thread_id, id) do update set body = excluded.body returning 1
    ), touched as (update thread set updated_at = ${now} where space_id = ${thread.space_id} and id = ${thread.id})
    select from inserted`
}

/** Changes the text of a comment of a locked thread. */
export async function updateComment(
  tx: Pick<Tx, 'db'>,
  thread: ThreadKey,
  { id, body, now }: { readonly id: string; readonly body: string; readonly now: Date },
): Promise<void> {
  await sql`update comment set body = ${body}, edited_at = ${now}, via = ${currentVia}
    where space_id = ${thread.space_id} and thread_id = ${thread.id} and id = ${id} and body <> ${body}`.execute(tx.db)
}

/** Deletes a comment of a locked thread, and the thread with its last one. */
export async function deleteComment(tx: Pick<Tx, 'db'>, thread: ThreadKey, id: string): Promise<void> {
  await sql`
    with deleted as (
      delete from comment where space_id = ${thread.space_id} and thread_id = ${thread.id} and id = ${id}
    )
    delete from thread where space_id = ${thread.space_id} and id = ${thread.id} and not exists (
      select from comment where comment.space_id = thread.space_id and comment.thread_id = thread.id
        and comment.id <> ${id})`.execute(tx.db)
}
