import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { sql } from 'kysely'
import type { PrincipalKind } from '../../../access/caller.ts'
import { queryRows, read } from '../../../platform/database/database.ts'
import type { Tx } from '../../../platform/database/transaction.ts'
import type { Op } from '../../metadata/patch.ts'

export interface ExistingRow {
  readonly path: string
  readonly revision_id: string
  /** The latest body, compressed. */
  readonly data: Buffer
  /** The metadata as JSON. */
  readonly metadata: string
}

/** The existing pages at some paths of a space, perhaps with their content. Plan: by the keys, row by row. */
export const findExisting = read(
  'find_existing_pages',
  (a: { readonly spaceId: number; readonly paths: readonly string[]; readonly content: boolean }) => sql<ExistingRow>`
    select page.path, page.revision_id,
      case when ${a.content}::boolean then coalesce(page.body, revision.data) else ''::bytea end as data,
      case when ${a.content}::boolean then coalesce(metadata.doc, '{}')::text else '{}' end as metadata
    from unnest(${a.paths}::text[]) as given (path)
    cross join lateral (
      select page_id from page_address
      where space_id = ${a.spaceId}::bigint and path = given.path collate "C" and page_id is not null offset 0
    ) address
    cross join lateral (
      select * from page where space_id = ${a.spaceId}::bigint and id = address.page_id offset 0
    ) page
    left join lateral (
      select data from revision
      where ${a.content}::boolean and space_id = page.space_id and page_id = page.id and version = page.version offset 0
    ) revision on true
    left join lateral (
      select doc from page_metadata
      where ${a.content}::boolean and space_id = page.space_id and page_id = page.id offset 0
    ) metadata on true`,
  { isLong: true },
)

export interface Author {
  readonly name: string
  readonly kind: PrincipalKind
  /** The name of the app by which they wrote. */
  readonly via?: string | undefined
}

/** Finds or creates the principals of authors of imported revisions, by name and kind. */
export async function importedAuthors(
  tx: Pick<Tx, 'db'>,
  authors: readonly Author[],
  now: Date,
): Promise<(Author & { readonly id: string })[]> {
  const names = authors.map(({ name }) => name)
  const kinds = authors.map(({ kind }) => kind)
  const find = async () => {
    return queryRows<Author & { id: string }>(tx.db)`
      select imported.name, imported.kind, imported.principal_id as id from imported_author as imported
      join unnest(${names}::text[], ${kinds}::text[]) as author (name, kind)
        on author.name = imported.name and author.kind = imported.kind`
  }
  const knownAuthors = await find()
  if (knownAuthors.length === authors.length) return knownAuthors
  await sql`lock table imported_author in share row exclusive mode`.execute(tx.db)
  await sql`
    with missing as materialized (
      select author.*
      from unnest(${names}::text[], ${kinds}::text[], ${authors.map(() => uuid7())}::uuid[]) as author (name, kind, id)
      where not exists (select 1 from imported_author as imported
        where imported.name = author.name and imported.kind = author.kind)
    ), made as (
      insert into principal (id, name, kind, role, disabled_at, created_at)
      select id, name || ' (imported)', kind, 'member', ${now}, ${now} from missing
    )
    insert into imported_author (name, kind, principal_id) select name, kind, id from missing`.execute(tx.db)
  return find()
}

/** Finds or makes, for each app by whose name something was written, an ended connection that has the name. */
export async function importedApps(
  tx: Pick<Tx, 'db'>,
  names: ReadonlySet<string>,
  now: Date,
): Promise<ReadonlyMap<string, string>> {
  if (names.size === 0) return new Map()
  const authors = await importedAuthors(
    tx,
    [...names].map((name) => ({ name, kind: 'agent' })),
    now,
  )
  const rows = await queryRows<{ name: string; id: string }>(tx.db)`
    with given as (
      select * from unnest(${authors.map(({ name }) => name)}::text[], ${authors.map(({ id }) => id)}::uuid[],
        ${authors.map(() => uuid7())}::uuid[]) given (name, principal_id, new_id)
    ), known as materialized (
      select given.name, min(connection.id::text)::uuid as id from given
      join app_connection connection on connection.principal_id = given.principal_id group by given.name
    ), made as (
      insert into app_connection (id, principal_id, client_id, client_name, redirect_uri, audience, scopes,
        requested_scopes,
        created_at, last_used_at, expires_at, ended_at)
      select new_id, principal_id, 'imported', name, '', 'api', '{}', '{}', ${now}, ${now}, ${now}, ${now} from given
      where name not in (select name from known)
      returning client_name as name, id
    )
    select * from known union all select * from made`
  return new Map(rows.map(({ name, id }) => [name, id]))
}

/** Sets the apps by which imported revisions were written, also as those of the pages. */
export async function setApps(
  tx: Pick<Tx, 'db'>,
  spaceId: number,
  revisions: readonly { readonly page_id: number; readonly version: number; readonly via: string | null }[],
): Promise<void> {
  await sql`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(revisions)}::jsonb) as given (page_id bigint, version int,
        via uuid)
    ), changed as (
      update revision set via = given.via from given
      where revision.space_id = ${spaceId} and revision.page_id = given.page_id and revision.version = given.version
    )
    update page set created_via = first.via, updated_via = last.via
    from (select distinct on (page_id) page_id, via from given order by page_id, version) first
    join (select distinct on (page_id) page_id, via from given order by page_id, version desc) last using (page_id)
    where page.space_id = ${spaceId} and page.id = first.page_id`.execute(tx.db)
}

export interface MetadataEventRow {
  readonly page_id: number
  readonly seq: number
  readonly key: string
  readonly op: Op
  readonly existed: boolean
  /** Absent if the event ended no value. */
  readonly previous?: unknown
  readonly previous_length?: number | undefined
  readonly length?: number | undefined
  readonly patch_id: string
  readonly actor_id: string
  readonly via: string | null
  readonly created_at: string
}

/** Replaces the first events of the metadata of imported pages by their own history. */
export async function putMetadataHistory(
  tx: Pick<Tx, 'db'>,
  spaceId: number,
  events: readonly MetadataEventRow[],
): Promise<void> {
  if (events.length === 0) return
  await sql`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as given (page_id bigint, seq int, key text,
        op text,
        existed boolean, previous jsonb, previous_length int, length int, patch_id uuid, actor_id uuid, via uuid,
        created_at timestamptz(3))
    ), stamped as (
      select page_id, max(seq) as last_seq,
        coalesce(jsonb_object_agg(key, stamp) filter (where op <> 'delete'), '{}') as stamps
      from (select distinct on (page_id, key) page_id, seq, key, op, jsonb_build_array(
          to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), actor_id)
          || case when via is null then '[]' else jsonb_build_array(via) end as stamp
        from given order by page_id, key, seq desc) latest group by page_id
    ), documents as (
      insert into page_metadata (space_id, page_id, stamps, last_seq) select ${spaceId}, page_id, stamps, last_seq
      from stamped
      on conflict (space_id, page_id) do update set stamps = excluded.stamps, last_seq = excluded.last_seq
    )
    insert into metadata_event as known (space_id, page_id, seq, key, op, existed, previous, previous_length, length,
      patch_id,
      actor_id, via, created_at)
    select ${spaceId}, page_id, seq, key, op, existed, previous, previous_length, length, patch_id, actor_id, via,
      created_at from given
    on conflict (space_id, page_id, seq) do update set key = excluded.key, op = excluded.op, existed = excluded.existed,
      previous = excluded.previous, previous_length = excluded.previous_length, length = excluded.length,
      patch_id = excluded.patch_id, actor_id = excluded.actor_id, via = excluded.via,
        created_at = excluded.created_at`.execute(tx.db)
}

/** A thread of an upload, with the place of its quote. */
export interface ThreadRow {
  readonly id: string
  readonly page_id: number | null
  readonly file_id: number | null
  readonly author_id: string | null
  readonly created_at: string
  readonly resolved_at: string | null
  readonly resolved_by: string | null
  readonly quote: { readonly exact: string; readonly prefix: string; readonly suffix: string } | null
  readonly version: number | null
  readonly start: number | null
  readonly end: number | null
  readonly start_line: number | null
  readonly end_line: number | null
  readonly seen_version: number | null
  readonly outdated: boolean
}

export interface CommentRow {
  readonly thread_id: string
  readonly id: string
  readonly author_id: string | null
  readonly via: string | null
  readonly body: string
  readonly created_at: string
  readonly edited_at: string | null
}

/** Inserts the threads of imported pages or files with their comments, in one statement. */
export async function insertThreads(
  tx: Pick<Tx, 'db'>,
  spaceId: number,
  { threads, comments }: { readonly threads: readonly ThreadRow[]; readonly comments: readonly CommentRow[] },
): Promise<void> {
  if (threads.length === 0) return
  await sql`
    with inserted as (
      insert into thread (space_id, id, page_id, file_id, author_id, created_at, updated_at, resolved_at,
        resolved_by, quote,
        place_version, place_start, place_end, start_line, end_line, seen_version, outdated)
      select ${spaceId}, id, page_id, file_id, author_id, created_at, coalesce(resolved_at, created_at), resolved_at,
        resolved_by, quote,
        version, "start", "end", start_line, end_line, seen_version, outdated
      from jsonb_to_recordset(${JSON.stringify(threads)}::jsonb) as given (id uuid, page_id bigint, file_id bigint,
        author_id uuid,
        created_at timestamptz, resolved_at timestamptz, resolved_by uuid, quote jsonb, version int, "start" int,
        "end" int,
        start_line int, end_line int, seen_version int, outdated boolean) returning 1
    )
    insert into comment (space_id, thread_id, id, author_id, via, body, created_at, edited_at)
    select ${spaceId}, thread_id, id, author_id, via, body, created_at, edited_at
    from jsonb_to_recordset(${JSON.stringify(comments)}::jsonb) as given (thread_id uuid, id uuid, author_id uuid,
      via uuid, body text,
      created_at timestamptz, edited_at timestamptz) where exists (select from inserted)`.execute(tx.db)
}
