import { sql } from 'kysely'
import {
  type AddressArgs,
  addressedColumns,
  addressedRow,
  pageStatement,
} from '../../access/addressed-page.ts'
import type { Actor } from '../../access/caller.ts'
import type { PageAccessRow } from '../../access/page.ts'
import { read, write } from '../../platform/database/statement.ts'

/** The values of a page by key, as the database returns them. */
export type Doc = Readonly<Record<string, unknown>>
/** The time of the last change of each key, and the id of its author. */
export type KeyProvenance = Readonly<Record<string, readonly [string, string]>>

export interface DocumentRow {
  readonly doc: Doc
  readonly stamps: KeyProvenance
  /** The authors in `stamps`, by id. */
  readonly actors: Readonly<Record<string, Actor>>
  readonly last_seq: number
}

const document = sql`coalesce(document.doc, '{}') as doc, coalesce(document.stamps, '{}') as stamps, coalesce(document.last_seq, 0) as last_seq,
  coalesce((select jsonb_object_agg(author.id, jsonb_build_object('id', author.id, 'name', author.name, 'kind', author.kind)) from principal author
    where author.id = any (array(select (value ->> 1)::uuid from jsonb_each(document.stamps)))), '{}') as actors`

/** The metadata of the page at an address, and the caller's rank there, in one round trip. */
export const readDocument = pageStatement<AddressArgs, PageAccessRow & DocumentRow>(
  'read_metadata',
  (args) => sql`select ${addressedColumns(args)}, page.title, page.version, ${document} ${addressedRow(args)}
    left join page_metadata document on document.space_id = page.space_id and document.page_id = page.id`,
)

export interface PageKey {
  readonly spaceId: number
  readonly pageId: number
}

/** The document of a page, locked until the transaction ends; no row: the page has none yet. */
export const lockDocument = write(
  'lock_metadata',
  (a: PageKey) => sql<DocumentRow>`select ${document} from page_metadata document
    where document.space_id = ${a.spaceId} and document.page_id = ${a.pageId} and not document.in_trash for update of document`,
)

/** Creates an empty document if the page exists and has none. */
export const makeDocument = write(
  'make_metadata',
  (a: PageKey) => sql<Record<string, never>>`insert into page_metadata (space_id, page_id)
    select space_id, id from page where space_id = ${a.spaceId} and id = ${a.pageId} and deleted_at is null for share
    on conflict (space_id, page_id) do nothing`,
)

/** Whether a patch has stored its events already. */
export const findPatch = read(
  'find_patch',
  (a: PageKey & { patchId: string }) => sql<{ seq: number }>`select seq from metadata_event
    where space_id = ${a.spaceId} and page_id = ${a.pageId} and patch_id = ${a.patchId}::uuid limit 1`,
)

/** The principals with these ids, by id. */
export const readActors = read(
  'read_actors',
  (a: { ids: readonly string[] }) => sql<{ actors: Record<string, Actor> | null }>`
    select jsonb_object_agg(id, jsonb_build_object('id', id, 'name', name, 'kind', kind)) as actors
    from principal where id = any (${a.ids}::uuid[])`,
)
