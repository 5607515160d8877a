import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { sql } from 'kysely'
import type { PrincipalKind } from '../../../access/caller.ts'
import { read } from '../../../platform/database/statement.ts'
import type { Tx } from '../../../platform/database/transaction.ts'

export interface ExistingRow {
  readonly path: string
  readonly revision_id: string
  /** The latest body, compressed. */
  readonly data: Buffer
  /** The metadata as JSON. */
  readonly metadata: string
}

/**
 * The existing pages at some paths of a space, optionally with their content. Plan: by the keys, row by row; a join may
 * read all pages of the space.
 */
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
    const { rows } = await sql<Author & { id: string }>`
      select imported.name, imported.kind, imported.principal_id as id from imported_author as imported
      join unnest(${names}::text[], ${kinds}::text[]) as author (name, kind)
        on author.name = imported.name and author.kind = imported.kind`.execute(tx.db)
    return rows
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

/** A thread of an upload, with the place of its quote. */
export interface ThreadRow {
  readonly id: string
  readonly page_id: number
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
  readonly body: string
  readonly created_at: string
  readonly edited_at: string | null
}

/** Inserts the threads of imported pages with their comments, in one statement. */
export async function insertThreads(
  tx: Pick<Tx, 'db'>,
  spaceId: number,
  { threads, comments }: { readonly threads: readonly ThreadRow[]; readonly comments: readonly CommentRow[] },
): Promise<void> {
  if (threads.length === 0) return
  await sql`
    with inserted as (
      insert into thread (space_id, id, page_id, author_id, created_at, updated_at, resolved_at, resolved_by, quote,
        place_version, place_start, place_end, start_line, end_line, seen_version, outdated)
      select ${spaceId}, id, page_id, author_id, created_at, coalesce(resolved_at, created_at), resolved_at, resolved_by, quote,
        version, "start", "end", start_line, end_line, seen_version, outdated
      from jsonb_to_recordset(${JSON.stringify(threads)}::jsonb) as given (id uuid, page_id bigint, author_id uuid,
        created_at timestamptz, resolved_at timestamptz, resolved_by uuid, quote jsonb, version int, "start" int, "end" int,
        start_line int, end_line int, seen_version int, outdated boolean) returning 1
    )
    insert into comment (space_id, thread_id, id, author_id, via, body, created_at, edited_at)
    select ${spaceId}, thread_id, id, author_id, null, body, created_at, edited_at
    from jsonb_to_recordset(${JSON.stringify(comments)}::jsonb) as given (thread_id uuid, id uuid, author_id uuid, body text,
      created_at timestamptz, edited_at timestamptz) where exists (select from inserted)`.execute(tx.db)
}
