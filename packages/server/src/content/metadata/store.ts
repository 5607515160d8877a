import { type RawBuilder, sql } from 'kysely'
import { type AddressArgs, addressedColumns, addressedRow, pageStatement } from '../../access/addressed-page.ts'
import type { Actor } from '../../access/caller.ts'
import type { PageAccessRow } from '../../access/page.ts'
import { read, write } from '../../platform/database/database.ts'

/** The values of a page by key, as the database returns them. */
export type Doc = Readonly<Record<string, unknown>>
/** The time of the last change of each key, the id of its author, and that of the connection of an app that acted. */
export type KeyProvenance = Readonly<Record<string, readonly [at: string, actorId: string, via?: string]>>

export interface DocumentRow {
  readonly doc: Doc
  readonly stamps: KeyProvenance
  /** The authors in `stamps`, by id. */
  readonly actors: Readonly<Record<string, Actor>>
  /** The names of the apps in `stamps`, by the id of their connection. */
  readonly apps: Readonly<Record<string, string>>
  readonly last_seq: number
}

/** The principals with some ids, by id. */
const authors = (ids: RawBuilder<unknown>) => sql`coalesce((
    select jsonb_object_agg(author.id, jsonb_build_object('id', author.id, 'name', author.name, 'kind', author.kind))
    from principal author where author.id = any (${ids})), '{}')`

/** The names of apps by the ids of some connections. */
const apps = (ids: RawBuilder<unknown>) => sql`coalesce((
    select jsonb_object_agg(id, client_name) from app_connection where id = any (${ids})), '{}')`

const document = sql`coalesce(document.doc, '{}') as doc, coalesce(document.stamps, '{}') as stamps,
  coalesce(document.last_seq, 0) as last_seq,
  ${authors(sql`array(select (value ->> 1)::uuid from jsonb_each(document.stamps))`)} as actors,
  ${apps(sql`array(select (value ->> 2)::uuid from jsonb_each(document.stamps) where value ->> 2 is not null)`)}
    as apps`

/** The metadata of the page at an address, and the caller's rank there, in one round trip. */
export const readDocument = pageStatement<AddressArgs, PageAccessRow & DocumentRow>(
  'read_metadata',
  (args) => sql`select ${addressedColumns(args)}, page.title, page.version, ${document} ${addressedRow(args)}
    left join page_metadata document on document.space_id = page.space_id and document.page_id = page.id`,
)

/** A row if the metadata of a space is public. */
export const findPublicMetadata = read(
  'find_public_metadata',
  ({ space }: { readonly space: string }) =>
    sql`select space.id from space where space.slug = ${space} and space.public_metadata`,
)

export interface PageKey {
  readonly spaceId: number
  readonly pageId: number
}

interface PagesArgs {
  /** Keys of pages as JSON. */
  readonly pages: string
}

/** In one order everywhere, against deadlocks. */
const inOrder = ({ pages }: PagesArgs) => sql`(
    select space_id, page_id from jsonb_to_recordset(${pages}::jsonb) as page (space_id bigint, page_id bigint)
    order by space_id, page_id offset 0
  ) given`

/** The documents of pages, locked until the transaction ends; no row for a page that has none yet. */
export const lockDocuments = write(
  'lock_metadata',
  (a: PagesArgs) => sql<DocumentRow & { readonly page_id: number }>`
    select given.page_id, document.* from ${inOrder(a)}
    cross join lateral (
      select ${document} from page_metadata document
      where document.space_id = given.space_id and document.page_id = given.page_id and not document.in_trash
      for update of document
    ) document`,
)

/** Creates an empty document for each page that exists and has none. */
export const makeDocuments = write(
  'make_metadata',
  (a: PagesArgs) => sql<Record<string, never>>`insert into page_metadata (space_id, page_id)
    select page.space_id, page.id from ${inOrder(a)}
    cross join lateral (
      select space_id, id from page
      where page.space_id = given.space_id and page.id = given.page_id and deleted_at is null for share
    ) page
    on conflict (space_id, page_id) do nothing`,
)

/** The pages whose patches have stored their events already. */
export const listPatched = read(
  'list_patched',
  (a: { patches: string }) => sql<{ page_id: number }>`select page_id
    from jsonb_to_recordset(${a.patches}::jsonb) as given (space_id bigint, page_id bigint, patch_id uuid)
    where exists (select from metadata_event event where event.space_id = given.space_id
      and event.page_id = given.page_id and event.patch_id = given.patch_id)`,
)

/** The principals and the apps with these ids. */
export const readAuthors = read(
  'read_authors',
  (a: { ids: readonly string[] }) => sql<Pick<DocumentRow, 'actors' | 'apps'>>`
    select ${authors(sql`${a.ids}::uuid[]`)} as actors, ${apps(sql`${a.ids}::uuid[]`)} as apps`,
)
