import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { AppError } from '@recto/contract/errors.ts'
import { checkNewPath, parsePagePath } from '@recto/contract/page-address.ts'
import { parseIfMatch, type VersionTag } from '@recto/lib/network/header-values.ts'

export type Kind = 'page' | 'file'
export type Metadata = Readonly<Record<string, unknown>>

/** The base version of a page or file: what the folder and the space agreed on last. */
export interface Entry {
  readonly kind: Kind
  /** Its path in the space. */
  readonly path: string
  /** The name of its file, relative to the folder. */
  readonly name: string
  readonly version: VersionTag
  /** SHA-256 of the Markdown or of the bytes. */
  readonly digest: string
  /** Metadata of a page; absent if there is none. */
  readonly metadata?: Metadata
}

export interface LocalFile {
  readonly kind: Kind
  readonly path: string
  readonly name: string
  /** As in `Entry`: of the Markdown without the metadata. */
  readonly digest: string
  /** Metadata in the front matter; absent if it is not kept there. */
  readonly metadata?: Metadata
  /** Identifies the file on its disk, also after it was renamed. */
  readonly id: string
}

/** A page or file of the space. */
export interface RemoteItem {
  readonly kind: Kind
  readonly path: string
  readonly version: VersionTag
  /** Absent until the body was read. */
  readonly digest?: string
  readonly body?: Buffer
  /** Absent if it was not read. */
  readonly metadata?: Metadata
}

/** No path begins with a slash, so pages and files have different keys. */
export function toKey({ kind, path }: { readonly kind: Kind; readonly path: string }): string {
  return kind === 'file' ? `/${path}` : path
}

export function atKey(key: string): { readonly kind: Kind; readonly path: string } {
  return key.startsWith('/') ? { kind: 'file', path: key.slice(1) } : { kind: 'page', path: key }
}

/** Why no page or file can get this path; undefined if one can. */
export function pathProblem({ kind, path }: { readonly kind: Kind; readonly path: string }): string | undefined {
  try {
    checkNewPath(parsePagePath(path, kind), kind)
    return undefined
  } catch (error) {
    if (error instanceof AppError) return `${error.message}: rename the file`
    throw error
  }
}

export function computeSha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export async function computeFileSha256(file: string | Buffer): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(file)) hash.update(chunk)
  return hash.digest('hex')
}

/** A value of null is none. */
export function withoutNull(metadata: Metadata): Metadata {
  return Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== null))
}

/** What identifies the state of a page in its ETag: the number of its version, or the tag of a draft. */
export function pageVersion({ etag }: { readonly etag: string }): VersionTag {
  const [version] = parseIfMatch(etag)
  if (version === undefined || version === '*') throw new Error(`The ETag ${etag} names no version`)
  return version
}
