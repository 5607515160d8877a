import { sql } from 'kysely'
import type { AccessSubject } from '../../access/visibility.ts'
import { type Db, queryRows, read, write } from '../../platform/database/database.ts'
import { isChangeReadable } from '../comments/store-threads.ts'
import { type SubjectRow, subjectColumns } from './store.ts'
import { VERSIONS } from './store-fan-out.ts'
import { isPlaceReadable, isThere, subjectJoins } from './store-subjects.ts'

/** What somebody watches: a page, a file, a thread, a folder (`prefix`), or without these the space. */
export interface WatchTarget {
  readonly spaceId: number
  readonly pageId?: number
  readonly fileId?: number
  readonly threadId?: string
  readonly prefix?: string
}

/** A target with the columns of its row. */
interface WatchKey {
  readonly principalId: string
  readonly spaceId: number
  readonly pageId: number | null
  readonly fileId: number | null
  readonly threadId: string | null
  readonly prefix: string | null
}

export function toWatchKey(principalId: string, target: WatchTarget): WatchKey {
  return { pageId: null, fileId: null, threadId: null, prefix: null, ...target, principalId }
}

const isWatch = (
  a: WatchKey,
) => sql<boolean>`watch.space_id = ${a.spaceId} and watch.page_id is not distinct from ${a.pageId}::bigint
  and watch.file_id is not distinct from ${a.fileId}::bigint and watch.thread_id is not distinct
  from ${a.threadId}::uuid
  and watch.prefix is not distinct from ${a.prefix}::text collate "C" and watch.principal_id = ${a.principalId}`

/** Watches something, or mutes it; returns whether somebody has `max` watches already. */
export const putWatch = write(
  'put_watch',
  (a: WatchKey & { muted: boolean; now: Date; max: number }) => sql<{ is_full: boolean }>`
    with known as (
      select count(*) >= ${a.max}::int and not exists (select from watch where ${isWatch(a)}) as is_full
      from watch where principal_id = ${a.principalId}
    ),
    -- Locked, so that none of them is purged meanwhile.
    page_here as (select from page where space_id = ${a.spaceId} and id = ${a.pageId}::bigint for key share),
    file_here as (select from file where space_id = ${a.spaceId} and id = ${a.fileId}::bigint for key share),
    thread_here as (select from thread where space_id = ${a.spaceId} and id = ${a.threadId}::uuid for key share),
    put as (
      insert into watch (principal_id, space_id, page_id, file_id, thread_id, prefix, muted, created_at)
      select ${a.principalId}::uuid, ${a.spaceId}::bigint, ${a.pageId}::bigint, ${a.fileId}::bigint,
        ${a.threadId}::uuid, ${a.prefix}::text,
        ${a.muted}::boolean, ${a.now}::timestamptz
      from known where not is_full
        and (${a.pageId}::bigint is null or exists (select from page_here))
        and (${a.fileId}::bigint is null or exists (select from file_here))
        and (${a.threadId}::uuid is null or exists (select from thread_here))
      on conflict (space_id, page_id, file_id, thread_id, prefix, principal_id) do update set muted = excluded.muted
    )
    select is_full from known`,
)

export const removeWatch = write('remove_watch', (a: WatchKey) => sql`delete from watch where ${isWatch(a)}`)

export interface WatchRow extends SubjectRow {
  readonly id: number
  readonly muted: boolean
  readonly created_at: Date
}

/** What somebody watches or has muted, and can read now; last one first. Folders: of spaces that they read. */
export async function listWatches(
  db: Db,
  subject: AccessSubject,
  { after, limit }: { readonly after: number | undefined; readonly limit: number },
): Promise<WatchRow[]> {
  return queryRows<WatchRow>(db)`
    select item.id, item.muted, item.created_at, ${subjectColumns}
    from (select watch.*, prefix as path, null::int as number from watch) item ${subjectJoins}
    where item.principal_id = ${subject.principalId} ${after === undefined ? sql`` : sql`and item.id < ${after}`}
      and (num_nonnulls(item.page_id, item.file_id, item.thread_id) = 0 or ${isThere})
      and ${isPlaceReadable(subject, sql`case when item.prefix is null then subject.path end`)}
      and ${isChangeReadable(subject)}
    order by item.id desc limit ${limit}`
}

/** Whether somebody is told of what happens at a place that they read, and by what: their own choice, else the rest. */
export const findWatchState = read(
  'find_watch_state',
  (a: WatchKey & { path: string | null }) => sql<{ muted: boolean | null; inherited: boolean; wrote: boolean }>`
    select (select muted from watch where ${isWatch(a)}) as muted,
      exists (select from watch where principal_id = ${a.principalId} and space_id = ${a.spaceId}
        and page_id is null and file_id is null and thread_id is null and not (${isWatch(a)})
        and (prefix is null or prefix = any(path_prefixes(${a.path}::text)))) as inherited,
      ${a.pageId}::bigint is not null and (exists (select from page
          where space_id = ${a.spaceId} and id = ${a.pageId}::bigint and created_by = ${a.principalId})
        or exists (select from (select created_by from revision
          where space_id = ${a.spaceId} and page_id = ${a.pageId}::bigint
          order by version desc limit ${VERSIONS}) latest where created_by = ${a.principalId})) as wrote`,
)
