import { pageUrl } from '@recto/contract/page-url.ts'
import { formatEtag } from '@recto/lib/network/header-values.ts'
import type { Static } from 'typebox'
import { type AuthorColumns, toCreator, toEditor } from '../../access/authors.ts'
import type { Ctx } from '../../access/ctx.ts'
import { type DraftedPage, type DraftHead, toTag } from '../../access/overlay.ts'
import { findVerification, type VerifiedRow } from '../../access/verification.ts'
import type { pageSchema } from './schema.ts'

/** A page as in lists and in responses to writes; one revision of it if the request names an older version. */
export type Page = Static<typeof pageSchema>

/** The columns of a page in responses, as every statement of the store names them. */
export interface PageRow extends AuthorColumns, VerifiedRow, DraftedPage<DraftHead> {
  readonly path: string
  readonly title: string
  readonly version: number
  readonly frontmatter: string
  readonly note: string | null
  readonly created_at: Date
  readonly updated_at: Date
  /** Where the row is of an older version. */
  readonly latest_version?: number
}

export function toPage(row: PageRow, space: string, { config, now }: Pick<Ctx, 'config' | 'now'>): Page {
  const { draft } = row
  return {
    space,
    path: row.path,
    url: config.publicUrl + pageUrl(space, row.path),
    title: row.title,
    version: draft?.page_id === null ? (null as never) : row.version, // of a draft only
    etag: formatEtag(toTag(row)),
    frontmatter: JSON.parse(row.frontmatter),
    note: row.note,
    createdAt: row.created_at.toISOString(),
    createdBy: toCreator(row),
    updatedAt: row.updated_at.toISOString(),
    updatedBy: toEditor(row),
    verification: findVerification(row, now()),
    ...(draft && { draft: { number: draft.number, version: draft.version, updatedBy: toEditor(draft) } }),
  }
}
