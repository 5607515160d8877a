import type { Language } from '@recto/lib/languages.ts'
import { sql } from 'kysely'
import { isOpen } from '../../access/visibility.ts'
import { type Db, queryRow, queryRows, queryValue } from '../../platform/database/database.ts'
import type { RowFor } from '../../platform/database/rows.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import type { TemplateItem, TemplateSource } from './space-template.ts'

export type StoredSource = Exclude<TemplateSource, 'builtin'>

export interface SpaceTemplateRow extends RowFor<TemplateItem> {
  readonly source: StoredSource
  /** Of the space that the snapshot was taken of; null if unknown. */
  readonly space_slug: string | null
  readonly space_name: string
  readonly space_description: string
  readonly space_language: Language
  readonly space_icon: string | null
  readonly digest: Buffer | null
}

const columns = sql`source, id, title, description, category, space_slug, space_name, space_description, space_language,
  space_icon, page_count, digest, updated_at`

/** Stored templates of some sources, by source and id. */
export async function listStored(
  db: Db,
  window: {
    readonly sources: readonly TemplateSource[]
    readonly after: readonly [string, string] | undefined
    readonly limit: number
  },
): Promise<SpaceTemplateRow[]> {
  const { after } = window
  return queryRows<SpaceTemplateRow>(db)`
    select ${columns} from space_template
    where source = any(${window.sources}::text[])
      ${after === undefined ? sql`` : sql`and (source, id) > (${after[0]}, ${after[1]})`}
    order by source, id limit ${window.limit}`
}

/** A stored template without its pages. */
export async function findStored(db: Db, source: StoredSource, id: string): Promise<SpaceTemplateRow | undefined> {
  return queryRow<SpaceTemplateRow>(db)`
    select ${columns} from space_template where source = ${source} and id = ${id}`
}

export interface TemplatePageRow {
  readonly path: string
  /** Compressed like the bodies of revisions. */
  readonly body: Buffer
  readonly metadata: string | null
}

/** The pages of a stored template, by path. */
export async function listStoredPages(db: Db, source: StoredSource, id: string): Promise<TemplatePageRow[]> {
  return queryRows<TemplatePageRow>(db)`
    select path, body, metadata from space_template_page
    where source = ${source} and template_id = ${id} order by path`
}

export type NewSpaceTemplate = Omit<SpaceTemplateRow, 'page_count'> & { readonly updated_by: string | null }

/** Inserts or replaces a template with its pages. */
export async function putStored(
  tx: Pick<Tx, 'db'>,
  template: NewSpaceTemplate,
  pages: readonly TemplatePageRow[],
): Promise<void> {
  const t = template
  await sql`
    insert into space_template (${columns}, updated_by)
    values (${t.source}, ${t.id}, ${t.title}, ${t.description}, ${t.category}, ${t.space_slug}, ${t.space_name},
      ${t.space_description}, ${t.space_language}, ${t.space_icon},
      ${pages.length}, ${t.digest}, ${t.updated_at}, ${t.updated_by})
    on conflict (source, id) do update set title = excluded.title, description = excluded.description,
      category = excluded.category, space_slug = excluded.space_slug, space_name = excluded.space_name,
      space_description = excluded.space_description,
      space_language = excluded.space_language, space_icon = excluded.space_icon,
      page_count = excluded.page_count, digest = excluded.digest, updated_at = excluded.updated_at,
      updated_by = excluded.updated_by`.execute(tx.db)
  await sql`
    delete from space_template_page where source = ${t.source} and template_id = ${t.id}`.execute(tx.db)
  await sql`
    insert into space_template_page (source, template_id, path, body, metadata)
    select ${t.source}, ${t.id}, * from unnest(${pages.map(({ path }) => path)}::text[],
      ${pages.map(({ body }) => body)}::bytea[], ${pages.map(({ metadata }) => metadata)}::text[])`.execute(tx.db)
}

export async function deleteStored(tx: Pick<Tx, 'db'>, source: StoredSource, id: string): Promise<string | undefined> {
  return queryValue<string | undefined>(tx.db, undefined)`
    delete from space_template where source = ${source} and id = ${id} returning title`
}

/** The number of pages of a space, and the bytes of their bodies. */
export async function sizeOfSpace(db: Db, spaceId: number) {
  const rows = await queryRows<{ pages: number; bytes: number }>(db)`
    select count(*) as pages, coalesce(sum(revision.size), 0)::bigint as bytes
    from page_address as address
    join page on page.space_id = address.space_id and page.id = address.page_id
    join revision on revision.space_id = page.space_id and revision.page_id = page.id
      and revision.version = page.version
    where address.space_id = ${spaceId} and address.page_id is not null
      and ${isOpen(spaceId, 'address.space_id', 'address.path')}`
  return rows[0] ?? { pages: 0, bytes: 0 }
}

interface SnapshotPageRow {
  readonly path: string
  /** Size of the body in bytes, and the compressed body. */
  readonly size: number
  readonly data: Buffer
  readonly metadata: string | null
}

/** A consistent snapshot of the pages of a space that all its readers read, by path: everybody reads a template. */
export async function readAllPages(db: Db, spaceId: number, limit: number): Promise<SnapshotPageRow[]> {
  return queryRows<SnapshotPageRow>(db)`
    select page.path, revision.size, coalesce(page.body, revision.data) as data,
      nullif(metadata.doc, '{}')::text as metadata
    from page_address as address
    join page on page.space_id = address.space_id and page.id = address.page_id
    join revision on revision.space_id = page.space_id and revision.page_id = page.id
      and revision.version = page.version
    left join page_metadata as metadata on metadata.space_id = page.space_id and metadata.page_id = page.id
    where address.space_id = ${spaceId} and address.page_id is not null
      and ${isOpen(spaceId, 'address.space_id', 'address.path')}
    order by address.path limit ${limit}`
}
