import { type RawBuilder, sql } from 'kysely'
import { actorJson } from '../../access/authors.ts'
import type { Actor } from '../../access/caller.ts'
import { viaName } from '../../access/via.ts'
import { type AccessSubject, memberJoin, rankAt, rankIn, ruleJoin } from '../../access/visibility.ts'
import { joinConditions } from '../../platform/database/conditions.ts'
import { type Db, hasRows, queryRow, queryRows } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import { draftPlaces, isReadable } from '../change-requests/store.ts'
import type { ThreadQuote } from './schema.ts'

/** A comment as JSON of the database. */
export interface CommentRow {
  readonly id: string
  readonly author: Actor
  readonly body: string
  readonly created_at: string
  readonly edited_at: string | null
}

/** A thread of a list: those beyond what a page of the list has room for have no comments. */
export interface ListedThreadRow extends ThreadRow {
  readonly has_room: boolean
}

/** A thread that the caller can read, with what it is about as it is now. */
export interface ThreadRow {
  readonly id: string
  readonly space_id: number
  readonly space: string
  readonly page_id: number | null
  readonly file_id: number | null
  readonly number: number | null
  /** Of the page, file or change; null: it is about a request as a whole. */
  readonly path: string | null
  readonly page_version: number | null
  readonly author: Actor
  readonly created_at: Date
  readonly updated_at: Date
  readonly resolved_at: Date | null
  readonly resolved_by: Actor | null
  readonly quote: Required<ThreadQuote> | null
  readonly start_line: number | null
  readonly end_line: number | null
  readonly seen_version: number | null
  readonly outdated: boolean
  /** Where the page of a change is that moves it. */
  readonly page_path: string | null
  /** The caller's rank at the path. */
  readonly rank: number
  readonly comments: readonly CommentRow[]
}

const writerJson = (alias: string, via: string) => sql<Actor>`json_strip_nulls(json_build_object(
  'id', ${sql.ref(`${alias}.id`)}, 'name', ${sql.ref(`${alias}.name`)}, 'kind', ${sql.ref(`${alias}.kind`)}, 'via',
    ${viaName(via)}))`

/** The change of a request that the row `thread` is about, if the caller can read it. */
const joinChange = (subject: AccessSubject) => sql`${draftPlaces}
  where draft.space_id = thread.space_id and draft.number = thread.number and draft.id = thread.draft_id
    and ${isReadable(subject)}`

/** Whether there still is such a change. */
const hasDraft = sql`exists (select from draft
  where draft.space_id = thread.space_id and draft.number = thread.number and draft.id = thread.draft_id)`

/** Whether the change of a request that the row `thread` is about is readable; true if there is none (any more). */
export const isChangeReadable = (subject: AccessSubject) => sql<boolean>`case when thread.draft_id is null then true
  else not ${hasDraft} or exists (select from ${joinChange(subject)}) end`

/** The rows `thread` that the caller can read, by where their subject is now, or where a draft was last. */
function readableThreads(subject: AccessSubject, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`from thread join space on space.id = thread.space_id ${memberJoin(subject)}
    left join page on page.space_id = thread.space_id and page.id = thread.page_id
    left join file on file.space_id = thread.space_id and file.id = thread.file_id
    left join lateral (select place.path, page.path as page_path from ${joinChange(subject)}) change
      on thread.draft_id is not null
    cross join lateral (select coalesce(page.path, file.path, change.path, thread.path) as path) subject
    ${ruleJoin(subject, sql`subject.path`)}
    where ${condition} and coalesce(page.deleted_at, file.deleted_at) is null
      and case when subject.path is null then ${rankIn(subject)} >= 1
        when thread.draft_id is null or not ${hasDraft} then ${rankAt(subject)} >= 1
        else change.path is not null end`
}

/** What a comment has besides its text, and what a page of a list has room for, in bytes of JSON. */
const COMMENT_BYTES = 400
const MAX_LIST_BYTES = 1024 * 1024

const columns = (subject: AccessSubject) => sql`thread.id, thread.space_id, coalesce(space.slug, 'personal') as space,
  thread.page_id, thread.file_id, thread.number, subject.path, nullif(change.page_path, change.path) as page_path,
  page.version as page_version,
  (select ${actorJson('author')} from principal author where author.id = thread.author_id) as author,
  thread.created_at, thread.updated_at, thread.resolved_at,
  (select ${actorJson('resolver')} from principal resolver where resolver.id = thread.resolved_by) as resolved_by,
  thread.quote, thread.start_line, thread.end_line, thread.seen_version, thread.outdated,
  case when subject.path is null then ${rankIn(subject)} else ${rankAt(subject)} end as rank`

/** The comments of the row `thread` as JSON. */
const comments = sql`coalesce((select json_agg(json_build_object('id', comment.id, 'author',
  ${writerJson('writer', 'comment.via')},
      'body', comment.body, 'created_at', comment.created_at, 'edited_at', comment.edited_at)
      order by comment.created_at, comment.id)
    from comment join principal writer on writer.id = comment.author_id
    where comment.space_id = thread.space_id and comment.thread_id = thread.id), '[]')`

/** What threads are about: a page, a file, or a request, of which a change may be named by its path. */
export type ThreadSubject = { readonly spaceId: number; readonly path?: string | undefined } & (
  | { readonly pageId: number }
  | { readonly fileId: number }
  | { readonly number: number }
)

function isAbout(target: ThreadSubject): RawBuilder<unknown> {
  const subject =
    'pageId' in target
      ? sql`thread.page_id = ${target.pageId}`
      : 'fileId' in target
        ? sql`thread.file_id = ${target.fileId}`
        : sql`thread.number = ${target.number}`
  return sql`thread.space_id = ${target.spaceId} and ${subject}`
}

export interface ThreadFilters {
  readonly state: 'open' | 'resolved' | undefined
  readonly after: readonly [at: string, id: string] | undefined
  readonly limit: number
}

/** The threads about something that the caller can read, first one first; of many long ones as many as have room. */
export async function listThreads(
  db: Db,
  subject: AccessSubject,
  target: ThreadSubject,
  { state, after, limit }: ThreadFilters,
): Promise<ListedThreadRow[]> {
  const condition = joinConditions([
    isAbout(target),
    'number' in target && target.path !== undefined && sql`subject.path = ${target.path}`,
    state && (state === 'open' ? sql`thread.resolved_at is null` : sql`thread.resolved_at is not null`),
    after && sql`(thread.created_at, thread.id) > (${after[0]}::timestamptz, ${after[1]}::uuid)`,
  ])
  return queryRows<ListedThreadRow>(db)`
    with thread as materialized (select ${columns(subject)} ${readableThreads(subject, condition)}
      order by thread.created_at, thread.id limit ${limit}),
    sized as materialized (select thread.*,
      row_number() over following = 1 or sum(size.bytes) over following <= ${MAX_LIST_BYTES} as has_room
      from thread cross join lateral (select coalesce(sum(octet_length(body) + ${COMMENT_BYTES}), 0) as bytes
        from comment
        where comment.space_id = thread.space_id and comment.thread_id = thread.id) size
      window following as (order by thread.created_at, thread.id))
    select thread.*, case when thread.has_room then ${comments} else '[]' end as comments from sized thread
    order by thread.created_at, thread.id`
}

/** A thread by its id, or by that of one of its comments. */
export type ThreadKey =
  | { readonly thread: string; readonly comment?: undefined }
  | { readonly thread?: undefined; readonly comment: string }

/** A thread that the caller can read, by its id or by that of one of its comments. */
export async function findThread(
  db: Db,
  subject: AccessSubject,
  { thread, comment }: ThreadKey,
): Promise<ThreadRow | undefined> {
  const condition =
    thread === undefined
      ? sql`thread.id = (select thread_id from comment where comment.id = ${comment})`
      : sql`thread.id = ${thread}`
  return queryRow<ThreadRow>(
    db,
  )`select ${columns(subject)}, ${comments} as comments ${readableThreads(subject, condition)}`
}

/** Locks a thread against other changes of it and of its comments; false: it does not exist any more. */
export async function lockThread(
  tx: Pick<Tx, 'db'>,
  { space_id, id }: Pick<ThreadRow, 'space_id' | 'id'>,
): Promise<boolean> {
  return hasRows(tx.db)`select from thread where space_id = ${space_id} and id = ${id} for no key update`
}

/** A passage of a version of a page. */
export interface Place {
  readonly version: number
  readonly start: number
  readonly end: number
  readonly startLine: number
  readonly endLine: number
}

export interface NewThread {
  readonly id: string
  readonly target: ThreadSubject
  readonly draftId: number | undefined
  readonly quote: ThreadQuote | undefined
  readonly place: Place | undefined
  readonly authorId: string
  readonly now: Date
  readonly max: number
}

/** Adds a thread, unless a lost attempt has; false: there are as many as there may be, or its page or file has gone. */
export async function insertThread(tx: Pick<Tx, 'db'>, thread: NewThread): Promise<boolean> {
  const { id, target, draftId = null, quote, place, authorId, now, max } = thread
  const [pageId, fileId, number] = [
    'pageId' in target ? target.pageId : null,
    'fileId' in target ? target.fileId : null,
    'number' in target ? target.number : null,
  ]
  const subject = `thread ${target.spaceId} ${pageId} ${fileId} ${number}`
  await sql`select pg_advisory_xact_lock(hashtextextended(${subject}, 0))`.execute(tx.db)
  return hasRows(tx.db)`
    with known as (select count(*) < ${max} as has_room from thread where ${isAbout(target)} and id <> ${id}),
    page_here as (select from page where space_id = ${target.spaceId} and id = ${pageId}::bigint
      and deleted_at is null for key share),
    file_here as (select from file where space_id = ${target.spaceId} and id = ${fileId}::bigint
      and deleted_at is null for key share)
    insert into thread (space_id, id, page_id, file_id, number, draft_id, path, author_id, created_at,
      updated_at, quote,
      place_version, place_start, place_end, start_line, end_line, seen_version)
    select ${target.spaceId}, ${id}, ${pageId}, ${fileId}, ${number}, ${draftId},
      ${draftId === null ? null : (target.path ?? null)},
      ${authorId}, ${now}, ${now}, ${quote ? JSON.stringify(quote) : null}::jsonb,
      ${place?.version ?? null}, ${place?.start ?? null}, ${place?.end ?? null}, ${place?.startLine ?? null},
      ${place?.endLine ?? null}, ${place?.version ?? null}
    from known where has_room and (${pageId}::bigint is null or exists (select from page_here))
      and (${fileId}::bigint is null or exists (select from file_here))
    on conflict (space_id, id) do update set updated_at = excluded.updated_at returning 1`
}

/** Resolves a thread, or opens it again. */
export async function setResolved(
  tx: Pick<Tx, 'db'>,
  { space_id, id }: Pick<ThreadRow, 'space_id' | 'id'>,
  { resolverId, now }: { readonly resolverId: string | null; readonly now: Date },
): Promise<void> {
  await sql`update thread set resolved_at = ${resolverId === null ? null : now}, resolved_by = ${resolverId},
    updated_at = ${now}
    where space_id = ${space_id} and id = ${id}
      and (resolved_at is null) <> (${resolverId}::uuid is null)`.execute(tx.db)
}
