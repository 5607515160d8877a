import type { Actor, PrincipalKind } from '../access/caller.ts'
import type { CurrentVersion } from '../access/preconditions.ts'
import { pageUrl } from '../http/page-address.ts'
import { etagOf } from '../lib/etag.ts'

/** A page as in lists and in responses to writes; one revision of it if the request names an older version. */
export interface Page {
  readonly space: string
  readonly path: string
  readonly url: string
  readonly title: string
  readonly version: number
  readonly etag: string
  readonly frontmatter: Readonly<Record<string, unknown>>
  readonly note: string | null
  readonly createdAt: string
  readonly createdBy: Actor
  readonly updatedAt: string
  readonly updatedBy: Actor
}

/** The columns of a page in responses, as every statement of the store names them. */
export interface PageRow {
  readonly path: string
  readonly title: string
  readonly version: number
  readonly frontmatter: string
  readonly note: string | null
  readonly created_at: Date
  readonly created_by: string
  readonly created_by_name: string
  readonly created_by_kind: PrincipalKind
  /** The app that acted for them. */
  readonly created_by_via: string | null
  readonly updated_at: Date
  readonly updated_by: string
  readonly updated_by_name: string
  readonly updated_by_kind: PrincipalKind
  readonly updated_by_via: string | null
}

export function creatorOf(row: PageRow): Actor {
  const { created_by: id, created_by_name: name, created_by_kind: kind, created_by_via: via } = row
  return { id, name, kind, ...(via !== null && { via }) }
}

export function editorOf(row: PageRow): Actor {
  const { updated_by: id, updated_by_name: name, updated_by_kind: kind, updated_by_via: via } = row
  return { id, name, kind, ...(via !== null && { via }) }
}

/** The page of a row, addressed in `space` on `origin`. */
export function toPage(row: PageRow, space: string, origin: string): Page {
  return {
    space,
    path: row.path,
    url: origin + pageUrl(space, row.path),
    title: row.title,
    version: row.version,
    etag: etagOf(row.version),
    frontmatter: JSON.parse(row.frontmatter),
    note: row.note,
    createdAt: row.created_at.toISOString(),
    createdBy: creatorOf(row),
    updatedAt: row.updated_at.toISOString(),
    updatedBy: editorOf(row),
  }
}

/** The current version, as a 412 response describes it. */
export function toCurrent(row: PageRow): CurrentVersion {
  return {
    version: row.version,
    etag: etagOf(row.version),
    updatedAt: row.updated_at.toISOString(),
    updatedBy: editorOf(row),
  }
}
