import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { isUuid, uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { Ctx } from '../../access/ctx.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import type { ThreadEvent } from '../../events/feed/event.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import { buildPage, type List, type PageQuery, parseWindow } from '../../platform/http/paging.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { findQuotedPassage, findSelectedPassage, followPlaces, type QuotedPassage, type Selection } from './places.ts'
import { findMentions, recordThread, type SaidComment } from './record-thread.ts'
import type { Comment, CreateThread, Thread, ThreadQuote } from './schema.ts'
import { insertComment } from './store-comments.ts'
import * as store from './store-threads.ts'
import { requireCommentable, requireCommenter, requireSubject, type SubjectAddress } from './subject.ts'

const MAX_THREADS = 1000
const MAX_COMMENTS = 500

/** The threads about something, the first one first, with the places of their quotes in the latest version. */
export async function listSubjectThreads(
  ctx: PagesCtx,
  address: SubjectAddress,
  { state, ...paging }: PageQuery & { readonly state?: 'open' | 'resolved' | undefined },
): Promise<List<Thread>> {
  const { target, version = 0 } = await requireSubject(ctx, address)
  if ('pageId' in target)
    await followPlaces(ctx, { space: address.space, path: target.path ?? '' }, { ...target, version })
  const name = `threads/${JSON.stringify([target, state])}`
  const window = parseWindow(ctx, name, paging, ['time', 'id'])
  const after = window.after as readonly [string, string] | undefined // the shape was checked
  const filters = { state, after, limit: window.limit + 1 }
  const rows = await store.listThreads(ctx.db, toAccessSubject(ctx.actor), target, filters)
  // What follows is on the next page of the list, though fewer than the limit are on this one.
  const count = rows.findIndex(({ has_room: hasRoom }) => !hasRoom)
  const fitting = { ...window, limit: count === -1 ? window.limit : count }
  return buildPage(fitting, rows, ['created_at', 'id'], (row) => toThread(ctx, row))
}

/** A thread that the caller can read, with the place of its quote in the latest version. */
export async function readThread(ctx: PagesCtx, id: string): Promise<Thread> {
  const row = await requireThread(ctx, { thread: id })
  const { page_id: pageId, space_id: spaceId, page_version: version, space, path } = row
  if (
    pageId === null ||
    version === null ||
    path === null ||
    row.seen_version === null ||
    row.seen_version >= version
  ) {
    return toThread(ctx, row)
  }
  await followPlaces(ctx, { space, path }, { spaceId, pageId, version })
  return toThread(ctx, await requireThread(ctx, { thread: id }))
}

/** Begins a thread, about a passage where a quote says so. */
export async function createThread(
  ctx: PagesCtx,
  address: SubjectAddress,
  { body, quote, version }: CreateThread,
): Promise<Thread> {
  return beginThread(ctx, address, body, quote && (await quotePage(ctx, address, { quote, version })))
}

/** Begins a thread about the passage of a page that a reader has selected. */
export async function commentOnSelection(
  ctx: PagesCtx,
  address: PageAddress,
  { body, selection }: { readonly body: string; readonly selection: Selection },
): Promise<Thread> {
  return beginThread(ctx, address, body, await findSelectedPassage(ctx, address, selection))
}

async function beginThread(
  ctx: PagesCtx,
  address: SubjectAddress,
  body: string,
  passage: QuotedPassage | undefined,
): Promise<Thread> {
  const [id, commentId] = [uuid7(), uuid7()]
  const comment = { id: commentId, mentions: await findMentions(ctx, body) }
  return inTransaction(ctx, async (tx) => {
    const { target, draftId } = await requireCommentable(tx, address)
    if (passage && !('pageId' in target && target.pageId === passage.pageId))
      throw new AppError('not_found', 'The page was moved or deleted at the same time.')
    const [authorId, now] = [tx.actor.id, tx.now()]
    const thread = {
      id,
      target,
      draftId,
      quote: passage?.quote,
      place: passage?.place,
      authorId,
      now,
      max: MAX_THREADS,
    }
    if (!(await store.insertThread(tx, thread))) {
      await requireSubject(tx, address)
      throw new AppError('too_many_comments', `There are ${MAX_THREADS} threads about this: delete one first.`)
    }
    await insertComment(tx, { space_id: target.spaceId, id }, { id: commentId, authorId, body, now, max: MAX_COMMENTS })
    return saveResult(tx, id, 'comment.created', comment)
  })
}

async function quotePage(
  ctx: PagesCtx,
  address: SubjectAddress,
  { quote, version }: { readonly quote: ThreadQuote; readonly version: number | undefined },
) {
  if (address.number !== undefined || address.resource === 'file') {
    throw new AppError('invalid_request', 'Only a thread about a page has a quote.', {
      issues: [{ path: '/quote', message: 'is for pages' }],
    })
  }
  return findQuotedPassage(ctx, { ...address, version }, quote)
}

/** Adds a comment to a thread. */
export async function replyToThread(ctx: PagesCtx, id: string, body: string): Promise<Thread> {
  const said = { id: uuid7(), mentions: await findMentions(ctx, body) }
  return withThread(ctx, { thread: id }, async (tx, row) => {
    await requireCommenter(tx, row.space, row)
    const comment = { id: said.id, authorId: tx.actor.id, body, now: tx.now(), max: MAX_COMMENTS }
    if (await insertComment(tx, row, comment)) return saveResult(tx, id, 'comment.created', said)
    throw new AppError('too_many_comments', `The thread has ${MAX_COMMENTS} comments: begin another one.`)
  })
}

/** Resolves a thread, or opens it again; one that is so already stays as it is. */
export async function resolveThread(ctx: PagesCtx, id: string, isResolved: boolean): Promise<Thread> {
  return withThread(ctx, { thread: id }, async (tx, row) => {
    await requireCommenter(tx, row.space, row)
    if (row.author.id !== tx.actor.id && row.rank < 2) {
      throw new AppError('forbidden', 'Only its author and editors resolve a thread, or open it again.')
    }
    await store.setResolved(tx, row, { resolverId: isResolved ? tx.actor.id : null, now: tx.now() })
    if ((row.resolved_at !== null) === isResolved) return saveResult(tx, id)
    return saveResult(tx, id, isResolved ? 'thread.resolved' : 'thread.reopened')
  })
}

/** Changes a thread, or its comments, under its lock, as its caller can read it then. */
export async function withThread<T>(
  ctx: PagesCtx,
  key: store.ThreadKey,
  change: (tx: PagesCtx & Tx, row: store.ThreadRow) => Promise<T>,
): Promise<T> {
  return inTransaction(ctx, async (tx) => {
    await store.lockThread(tx, await requireThread(tx, key))
    return change(tx, await requireThread(tx, key))
  })
}

async function saveResult(
  tx: PagesCtx & Tx,
  id: string,
  kind?: ThreadEvent['kind'],
  comment?: SaidComment,
): Promise<Thread> {
  const row = await requireThread(tx, { thread: id })
  if (kind) await recordThread(tx, row, kind, comment)
  const thread = toThread(tx, row)
  await tx.saveIdempotentResult(thread)
  return thread
}

/** A thread that the caller can read: what is hidden is as what does not exist. */
export async function requireThread(ctx: Ctx, key: store.ThreadKey): Promise<store.ThreadRow> {
  const isId = isUuid(key.thread ?? key.comment)
  const row = isId ? await store.findThread(ctx.db, toAccessSubject(ctx.actor), key) : undefined
  if (row) return row
  throw new AppError(
    'not_found',
    `There is no such ${key.thread === undefined ? 'comment' : 'thread'} that you can read.`,
  )
}

/** A thread as the API shows it. */
function toThread({ config }: Pick<Ctx, 'config'>, row: store.ThreadRow): Thread {
  const { space, path, number, quote, outdated, seen_version: version, start_line: startLine, end_line: endLine } = row
  const isPlaced = !outdated && version !== null && startLine !== null && endLine !== null
  const kind = number === null ? (row.page_id === null ? 'file' : 'page') : path === null ? 'changeRequest' : 'change'
  return {
    id: row.id,
    subject: { kind, space, ...(path !== null && { path }), ...(number !== null && { number }) },
    url: `${config.publicUrl}/thread/${row.id}`,
    quote,
    place: isPlaced ? { version, startLine, endLine } : null,
    outdated,
    state: row.resolved_at === null ? 'open' : 'resolved',
    resolvedAt: row.resolved_at?.toISOString() ?? null,
    resolvedBy: row.resolved_by,
    author: row.author,
    comments: row.comments.map((comment) => toComment(row.id, comment)),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

export function toComment(thread: string, row: store.ThreadRow['comments'][number]): Comment {
  return {
    id: row.id,
    thread,
    author: row.author,
    body: row.body,
    createdAt: new Date(row.created_at).toISOString(),
    editedAt: row.edited_at === null ? null : new Date(row.edited_at).toISOString(),
  }
}
