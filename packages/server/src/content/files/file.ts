import { fileUrl } from '@recto/contract/page-url.ts'
import { formatEtag } from '@recto/lib/network/header-values.ts'
import type { Static } from 'typebox'
import { type AuthorColumns, toCreator, toEditor } from '../../access/authors.ts'
import { type DraftedPage, type DraftHead, toTag } from '../../access/overlay.ts'
import type { fileSchema } from './schema.ts'

/** A file as in responses, at its latest or at the requested version. */
export type File = Static<typeof fileSchema>

/** A page with an image or a link that is a file. */
export type FileUser = File['usedBy'][number]

/** The stored attributes of the bytes of a version. */
export interface StoredBytes {
  readonly digest: Buffer
  readonly size: number
  readonly content_type: string
  /** Pixels as displayed; null if it is no image. */
  readonly width: number | null
  readonly height: number | null
}

/** The columns of a file in responses; every statement of the store uses these names. */
export interface FileRow extends StoredBytes, AuthorColumns, DraftedPage<DraftHead> {
  readonly path: string
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

/** The file of a row, at an address in `space` on `origin`. */
export function toFile(row: FileRow, space: string, origin: string, usedBy: FileUser[]): File {
  const { draft } = row
  return {
    space,
    path: row.path,
    url: origin + fileUrl(space, row.path),
    size: row.size,
    contentType: row.content_type,
    digest: row.digest.toString('hex'),
    width: row.width,
    height: row.height,
    version: row.version || (null as never), // 0 of a draft only
    etag: formatEtag(toTag(row)),
    createdAt: row.created_at.toISOString(),
    createdBy: toCreator(row),
    updatedAt: row.updated_at.toISOString(),
    updatedBy: toEditor(row),
    usedBy,
    ...(draft && { draft: { number: draft.number, version: draft.version, updatedBy: toEditor(draft) } }),
  }
}

/** The members of an event about a file. */
export function fileEventData(file: StoredBytes & Pick<FileRow, 'path' | 'version'>) {
  const { path, version, digest, size, content_type: contentType } = file
  return { path, version, size, contentType, digest: digest.toString('hex') }
}
