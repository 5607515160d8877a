import type { CurrentPage } from '../access/ctx.ts'
import { AppError } from '../errors.ts'
import { parseIfMatch } from '../lib/etag.ts'

type Versions = '*' | readonly number[]

/** The conditional headers of a write (RFC 9110, section 13.1), by version alone. */
export interface Preconditions {
  readonly ifMatch: Versions | undefined
  readonly ifNoneMatch: Versions | undefined
  /** Whether a change of a page that exists needs `If-Match`. */
  readonly required: boolean
}

/** Reads the headers of a write. */
export function preconditionsOf(
  headers: { readonly 'if-match'?: string | undefined; readonly 'if-none-match'?: string | undefined },
  required = true,
): Preconditions {
  const parse = (header: string | undefined) => (header === undefined ? undefined : parseIfMatch(header))
  return { ifMatch: parse(headers['if-match']), ifNoneMatch: parse(headers['if-none-match']), required }
}

/** Rejects a write whose conditions the current state of the page, if there is one, does not meet. */
export function checkPreconditions(current: CurrentPage | undefined, conditions: Preconditions): void {
  const { ifMatch, ifNoneMatch } = conditions
  if (!current) {
    if (ifMatch === undefined) return
    throw new AppError('precondition_failed', 'There is no page here: leave out If-Match to create one.')
  }
  // Create only. Any other If-None-Match does not replace If-Match: it would let stale writers overwrite the page.
  if (ifNoneMatch === '*')
    throw failed(current, 'The page exists already, and If-None-Match: * only creates.')
  if (ifMatch === undefined && conditions.required) {
    throw new AppError(
      'precondition_required',
      'Updating a page needs If-Match with its current ETag: read the page first.',
      { members: { current } },
    )
  }
  if (ifMatch !== undefined && !names(ifMatch, current)) {
    throw failed(
      current,
      'The page was changed since: read it again, apply your change to it, and send its new ETag.',
    )
  }
  if (ifNoneMatch !== undefined && names(ifNoneMatch, current)) {
    throw failed(current, 'If-None-Match names the current version.')
  }
}

function names(versions: Versions, current: CurrentPage): boolean {
  return versions === '*' || versions.includes(current.version)
}

function failed(current: CurrentPage, detail: string): AppError {
  return new AppError('precondition_failed', detail, { members: { current } })
}
