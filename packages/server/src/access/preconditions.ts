import { AppError } from '@recto/contract/errors.ts'
import {
  formatEtag,
  noneMatch,
  parseHttpDate,
  parseIfMatch,
  type VersionTag,
} from '@recto/lib/network/header-values.ts'
import { type AuthorColumns, toEditor } from './authors.ts'
import type { Actor } from './caller.ts'
import { type DraftedPage, type DraftHead, toTag } from './overlay.ts'
import type { Resource } from './resource.ts'

type Versions = '*' | readonly VersionTag[]

/** The latest version of a page or file, as preconditions are checked against it. */
export interface CurrentVersion {
  readonly version: number
  readonly etag: string
  readonly updatedAt: string
  readonly updatedBy: Actor
}

/** The current version of a row, as preconditions are checked against it and a 412 response describes it. */
export function toCurrent(
  row: AuthorColumns & DraftedPage<DraftHead> & { readonly version: number; readonly updated_at: Date },
): CurrentVersion {
  return {
    version: row.version,
    etag: formatEtag(toTag(row)),
    updatedAt: row.updated_at.toISOString(),
    updatedBy: toEditor(row),
  }
}

/** The conditional headers of a write (RFC 9110, section 13.1), by version alone. */
export interface Preconditions {
  readonly ifMatch: Versions | undefined
  readonly ifNoneMatch: Versions | undefined
  /** Ignored if there is an If-Match: a date is less exact than an ETag. */
  readonly ifUnmodifiedSince?: Date | undefined
  /** Whether a change of what exists needs `If-Match`. */
  readonly required: boolean
}

interface ConditionalHeaders {
  readonly 'if-match'?: string | undefined
  readonly 'if-none-match'?: string | undefined
  readonly 'if-modified-since'?: string | undefined
  readonly 'if-unmodified-since'?: string | undefined
}

/** A version that is about to be sent. */
interface ShownVersion extends DraftedPage<DraftHead> {
  readonly version: number
  readonly updatedAt: Date
}

/** Reads the headers of a write. */
export function parsePreconditions(headers: ConditionalHeaders, required = true): Preconditions {
  const parse = (header: string | undefined) => (header === undefined ? undefined : parseIfMatch(header))
  return {
    ifMatch: parse(headers['if-match']),
    ifNoneMatch: parse(headers['if-none-match']),
    ifUnmodifiedSince: parseHttpDate(headers['if-unmodified-since']),
    required,
  }
}

/** Rejects a read by the `If-Match` or `If-Unmodified-Since` of its request (RFC 9110, section 13.2.2). */
export function checkReadConditions(
  version: ShownVersion,
  headers: ConditionalHeaders,
  resource: Resource = 'page',
): void {
  const { 'if-match': tags, 'if-unmodified-since': date } = headers
  const since = parseHttpDate(date)
  const fits =
    tags !== undefined
      ? names(parseIfMatch(tags), toTag(version))
      : since === undefined || !isModifiedSince(version.updatedAt, since)
  if (fits) return
  throw new AppError('precondition_failed', `The ${resource} does not match the conditions of the request.`)
}

/** Whether the caller has the representation already: by its ETag, else by its date. */
export function isNotModified(version: ShownVersion & { readonly etag: string }, headers: ConditionalHeaders): boolean {
  const { 'if-none-match': tags, 'if-modified-since': date } = headers
  if (tags !== undefined) return !noneMatch(tags, version.etag)
  const since = parseHttpDate(date)
  return since !== undefined && !isModifiedSince(version.updatedAt, since)
}

/** HTTP dates have a precision of seconds (RFC 9110, section 5.6.7). */
function isModifiedSince(updatedAt: Date, since: Date): boolean {
  return Math.floor(updatedAt.getTime() / 1000) > Math.floor(since.getTime() / 1000)
}

/** Rejects a conditional write, or one that only creates, at an address that redirects; others end the redirect. */
export function checkNotMoved(movedTo: unknown, { ifMatch, ifNoneMatch }: Preconditions, detail: string): void {
  if (movedTo === undefined || (ifMatch === undefined && ifNoneMatch !== '*')) return
  throw new AppError('precondition_failed', `${detail} Read it there, and change it there.`, { members: { movedTo } })
}

/** Rejects a write whose conditions do not match the current version of the page or file, if there is one. */
export function checkPreconditions(
  current: CurrentVersion | undefined,
  conditions: Preconditions,
  resource: Resource | 'change request' = 'page',
): void {
  const { ifMatch, ifNoneMatch } = conditions
  if (!current) {
    if (ifMatch === undefined) return
    throw new AppError('precondition_failed', `There is no ${resource} here, and If-Match is for one that exists.`)
  }
  // Create only. Any other If-None-Match does not replace If-Match: it would let stale writers overwrite the page.
  if (ifNoneMatch === '*') throw failed(current, `The ${resource} exists already, and If-None-Match: * only creates.`)
  if (ifMatch === undefined && conditions.required) {
    throw new AppError(
      'precondition_required',
      `Updating a ${resource} needs If-Match with its current ETag: read the ${resource} first.`,
      { members: { current } },
    )
  }
  if (ifMatch !== undefined && !namesCurrent(ifMatch, current)) {
    throw failed(
      current,
      `The ${resource} was changed since: read it again, apply your change to it, and send its new ETag.`,
    )
  }
  const { ifUnmodifiedSince: since } = conditions
  if (ifMatch === undefined && since && isModifiedSince(new Date(current.updatedAt), since)) {
    throw failed(current, `The ${resource} was changed since the date of If-Unmodified-Since.`)
  }
  if (ifNoneMatch !== undefined && namesCurrent(ifNoneMatch, current)) {
    throw failed(current, 'If-None-Match names the current version.')
  }
}

function namesCurrent(versions: Versions, { version, etag }: CurrentVersion): boolean {
  return names(versions, etag === formatEtag(version) ? version : etag.slice(1, -1))
}

/** A draft is named by its tag alone: `*` is the page. */
function names(versions: Versions, tag: VersionTag): boolean {
  return versions === '*' ? typeof tag === 'number' : versions.includes(tag)
}

function failed(current: CurrentVersion, detail: string): AppError {
  return new AppError('precondition_failed', detail, { members: { current } })
}
