import { sql } from 'kysely'
import type { PrincipalKind } from '../../../access/caller.ts'
import { viaName } from '../../../access/via.ts'
import { type AccessSubject, isVisible } from '../../../access/visibility.ts'
import { type Db, hasRows, queryRows, queryValues } from '../../../platform/database/database.ts'
import type { BundleMetadataEvent, BundleThread } from '../bundle/bundle.ts'

export interface ExportRow {
  readonly id: number
  readonly path: string
  readonly version: number
  readonly first_version: number
  readonly updated_at: Date
  /** The latest body, compressed. */
  readonly data: Buffer
  /** The metadata as JSON; null if empty. */
  readonly metadata: string | null
  /** The number of the last change of the metadata. */
  readonly metadata_seq: number
  readonly has_threads: boolean
}

/** Pages of a space after a path that the caller can read, by path. Plan: a range of page_address's primary key. */
export async function listExportPages(
  db: Db,
  subject: AccessSubject,
  at: { readonly spaceId: number; readonly after: string; readonly limit: number },
): Promise<ExportRow[]> {
  return queryRows<ExportRow>(db)`
    select page.id, page.path, page.version, page.updated_at, coalesce(page.body, revision.data) as data,
      (select min(version) from revision where space_id = page.space_id and page_id = page.id) as first_version,
      nullif(metadata.doc, '{}')::text as metadata, coalesce(metadata.last_seq, 0) as metadata_seq,
      exists (select from thread where thread.space_id = page.space_id and thread.page_id = page.id) as has_threads
    from page_address as address
    join page on page.space_id = address.space_id and page.id = address.page_id
    join revision on revision.space_id = page.space_id and revision.page_id = page.id
      and revision.version = page.version
    left join page_metadata as metadata on metadata.space_id = page.space_id and metadata.page_id = page.id
    where address.space_id = ${at.spaceId} and address.page_id is not null and address.path > ${at.after} collate "C"
      and ${isVisible(subject, 'address.space_id', 'address.path')}
    order by address.path limit ${at.limit}`
}

/** The number of pages and files of a space that the caller can read. */
export async function countExported(db: Db, subject: AccessSubject, spaceId: number): Promise<number> {
  const visible = isVisible(subject, 'address.space_id', 'address.path')
  const rows = await queryRows<{ total: number }>(db)`
    select (select count(*) from page_address address where space_id = ${spaceId} and page_id is not null
      and ${visible})
      + (select count(*) from file_address address where space_id = ${spaceId} and file_id is not null and ${visible})
        as total`
  return Number(rows[0]?.total ?? 0)
}

export interface ExportRevisionRow {
  readonly page_id: number
  readonly version: number
  readonly note: string | null
  readonly base: number | null
  readonly data: Buffer
  readonly restored_from: number | null
  readonly created_at: Date
  readonly author_name: string
  readonly author_kind: PrincipalKind
  /** The connected app by which it was written. */
  readonly via: string | null
}

/** Versions of a page. */
export interface RevisionRange {
  readonly id: number
  readonly from: number
  readonly to: number
}

/** Revisions of some pages, by page and version. Plan: for each range one of the primary key, and a sort. */
export async function listExportRevisions(
  db: Db,
  { spaceId, ranges }: { readonly spaceId: number; readonly ranges: readonly RevisionRange[] },
): Promise<ExportRevisionRow[]> {
  const column = (name: keyof RevisionRange) => ranges.map((range) => range[name])
  return queryRows<ExportRevisionRow>(db)`
    select revision.page_id, revision.version, revision.note, revision.base, revision.data,
      revision.restored_from, revision.created_at, coalesce(imported.name, author.name) as author_name,
      author.kind as author_kind, ${viaName('revision.via')} as via
    from unnest(${column('id')}::bigint[], ${column('from')}::int[], ${column('to')}::int[])
      with ordinality as page (id, first, last, number)
    cross join lateral (
      select * from revision
      where space_id = ${spaceId} and page_id = page.id and version between page.first and page.last offset 0
    ) as revision
    join principal as author on author.id = revision.created_by
    left join imported_author as imported on imported.principal_id = author.id
    order by page.number, revision.version`
}

/** Changes of the metadata of a page from one to another, in their order. */
export async function listExportMetadataEvents(
  db: Db,
  at: { readonly spaceId: number; readonly pageId: number; readonly from: number; readonly to: number },
): Promise<BundleMetadataEvent[]> {
  return queryValues<BundleMetadataEvent>(db)`
    select jsonb_strip_nulls(jsonb_build_object('key', event.key, 'op', event.op, 'existed', event.existed,
        'previousLength', event.previous_length, 'length', event.length, 'createdAt', ${timeJson('event.created_at')},
        'createdBy', ${authorJson('event.actor_id', 'event.via')}))
      || case when event.previous is null then '{}' else jsonb_build_object('previousValue', event.previous)
      end as event
    from metadata_event event
    where event.space_id = ${at.spaceId} and event.page_id = ${at.pageId} and event.seq between ${at.from} and ${at.to}
    order by event.seq`
}

export async function listFilesWithThreads(db: Db, spaceId: number, ids: readonly number[]): Promise<Set<number>> {
  const fileIds = await queryValues<number>(db)`
    select distinct file_id from thread where space_id = ${spaceId} and file_id = any(${ids}::bigint[])`
  return new Set(fileIds)
}

/** What threads are about. */
export type ThreadSubject = { readonly pageId: number } | { readonly fileId: number }

/** The threads of a page or file after one of them, the first one first. */
export async function listExportThreads(
  db: Db,
  at: ThreadSubject & { readonly spaceId: number; readonly after: string | undefined; readonly limit: number },
): Promise<{ readonly id: string; readonly thread: BundleThread }[]> {
  const { spaceId, after, limit } = at
  const isAbout = 'pageId' in at ? sql`thread.page_id = ${at.pageId}` : sql`thread.file_id = ${at.fileId}`
  return queryRows<{ id: string; thread: BundleThread }>(db)`
    select thread.id, json_strip_nulls(json_build_object(
      'quote', thread.quote,
      'place', case when thread.place_version is not null then json_build_object('version', thread.place_version,
        'start', thread.place_start, 'end', thread.place_end, 'startLine', thread.start_line, 'endLine',
          thread.end_line) end,
      'createdAt', ${timeJson('thread.created_at')}, 'createdBy', ${authorJson('thread.author_id')},
      'resolvedAt', ${timeJson('thread.resolved_at')},
      'resolvedBy', case when thread.resolved_by is not null then ${authorJson('thread.resolved_by')} end,
      'comments', (select json_agg(json_build_object('body', comment.body, 'createdAt',
        ${timeJson('comment.created_at')},
          'createdBy', ${authorJson('comment.author_id', 'comment.via')}, 'editedAt', ${timeJson('comment.edited_at')})
          order by comment.created_at, comment.id)
        from comment where comment.space_id = thread.space_id and comment.thread_id = thread.id))) as thread
    from thread where thread.space_id = ${spaceId} and ${isAbout}
      ${
        after === undefined
          ? sql``
          : sql`and (thread.created_at, thread.id) > (select created_at, id from thread
            where space_id = ${spaceId} and id = ${after})`
      }
      and exists (select from comment where comment.space_id = thread.space_id and comment.thread_id = thread.id)
    order by thread.created_at, thread.id limit ${limit}`
}

/** Whether what the caller reads in a space needs the second format: threads, or metadata that was changed. */
export async function needsSecondFormat(db: Db, subject: AccessSubject, spaceId: number): Promise<boolean> {
  const visible = isVisible(subject, 'address.space_id', 'address.path')
  return hasRows(db)`
    select where exists (select from page_address address where space_id = ${spaceId} and page_id is not null
      and ${visible}
        and (exists (select from thread where thread.space_id = address.space_id and thread.page_id = address.page_id)
          or exists (select from metadata_event event where event.space_id = address.space_id
            and event.page_id = address.page_id
            having min(patch_id::text) <> max(patch_id::text))))
      or exists (select from file_address address where space_id = ${spaceId} and file_id is not null and ${visible}
        and exists (select from thread where thread.space_id = address.space_id and thread.file_id = address.file_id))`
}

const timeJson = (column: string) =>
  sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** The author of a comment, as a bundle names one. */
const authorJson = (id: string, via?: string) => sql`(select json_build_object(
    'name', coalesce(imported.name, author.name), 'kind', author.kind, 'via',
    ${via === undefined ? null : viaName(via)}::text)
  from principal author left join imported_author imported on imported.principal_id = author.id
  where author.id = ${sql.ref(id)})`
