import { type AuthorColumns, creatorOf, editorOf } from '../access/authors.ts'
import type { Actor } from '../access/caller.ts'
import type { CurrentVersion } from '../access/preconditions.ts'
import { fileUrl } from '../http/addresses/page-address.ts'
import { etagOf } from '../lib/network/etag.ts'

/** A file as in responses, at its latest or at the requested version. */
export interface File {
  readonly space: string
  readonly path: string
  readonly url: string
  readonly size: number
  readonly contentType: string
  /** SHA-256 of the bytes, in hexadecimal digits. */
  readonly digest: string
  readonly width: number | null
  readonly height: number | null
  readonly version: number
  readonly etag: string
  readonly createdAt: string
  readonly createdBy: Actor
  readonly updatedAt: string
  readonly updatedBy: Actor
  /** The first pages that refer to it, of those that the caller can read, by space and path. */
  readonly usedBy: FileUser[]
}

/** A page with an image or a link that is a file. */
export interface FileUser {
  readonly space: string
  readonly path: string
  readonly title: string
}

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
export interface FileRow extends StoredBytes, AuthorColumns {
  readonly path: string
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

/** The file of a row, at an address in `space` on `origin`. */
export function toFile(row: FileRow, space: string, origin: string, usedBy: FileUser[]): File {
  return {
    space,
    path: row.path,
    url: origin + fileUrl(space, row.path),
    size: row.size,
    contentType: row.content_type,
    digest: row.digest.toString('hex'),
    width: row.width,
    height: row.height,
    version: row.version,
    etag: etagOf(row.version),
    createdAt: row.created_at.toISOString(),
    createdBy: creatorOf(row),
    updatedAt: row.updated_at.toISOString(),
    updatedBy: editorOf(row),
    usedBy,
  }
}

/** The current state of a file, as preconditions are checked against it. */
export function toCurrentFile(row: FileRow): CurrentVersion {
  return {
    version: row.version,
    etag: etagOf(row.version),
    updatedAt: row.updated_at.toISOString(),
    updatedBy: editorOf(row),
  }
}

/** The members of an event about a file. */
export function fileEventData(file: StoredBytes & Pick<FileRow, 'path' | 'version'>) {
  const { path, version, digest, size, content_type: contentType } = file
  return { path, version, size, contentType, digest: digest.toString('hex') }
}
