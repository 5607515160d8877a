import { type RawBuilder, sql } from 'kysely'

/** What has an address and versions. */
export type Resource = 'page' | 'file'

/** The column of a row that has the id of its page or file; null: there is none. */
export type ItemIds = { readonly [Column in `${Resource}_id`]?: number | null }

/** The names of its tables and columns. Those of pages and files have one shape, so that one statement serves both. */
export interface ResourceTables {
  readonly rows: RawBuilder<unknown>
  readonly addresses: RawBuilder<unknown>
  readonly versions: RawBuilder<unknown>
  /** The column of an address, and of a version, that names the page or file. */
  readonly id: RawBuilder<number | null>
  /** The column of an address that names the page or file which has moved away. */
  readonly movedId: RawBuilder<number | null>
}

export const TABLES: Readonly<Record<Resource, ResourceTables>> = {
  page: tables('page', 'revision'),
  file: tables('file', 'file_version'),
}

function tables(resource: Resource, versions: string): ResourceTables {
  return {
    rows: sql.table(resource),
    addresses: sql.table(`${resource}_address`),
    versions: sql.table(versions),
    id: sql.ref(`${resource}_id`),
    movedId: sql.ref(`moved_${resource}_id`),
  }
}

/** The same for pages and for files, such as a prepared statement. */
export function forBoth<T>(build: (resource: Resource, tables: ResourceTables) => T): Record<Resource, T> {
  return { page: build('page', TABLES.page), file: build('file', TABLES.file) }
}
