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

/** Refuses a write whose conditions the current state of the page, if there is one, does not meet. */
export function checkPreconditions(current: CurrentPage | undefined, conditions: Preconditions): void {
  const { ifMatch, ifNoneMatch } = conditions
  if (!current) {
    if (ifMatch === undefined) return
    throw new AppError('precondition_failed', 'No page stands here: leave out If-Match to create one.')
  }
  if (ifNoneMatch !== undefined && names(ifNoneMatch, current)) {
    throw failed(current, 'A page stands here already, and If-None-Match asked that none does.')
  }
  if (ifMatch === undefined && ifNoneMatch === undefined && conditions.required) {
    throw new AppError(
      'precondition_required',
      'Updating a page needs If-Match with its current ETag: read the page first.',
      {
        members: { current },
      },
    )
  }
  if (ifMatch !== undefined && !names(ifMatch, current)) {
    throw failed(
      current,
      'The page was changed since: read it again, apply your change to it, and send its new ETag.',
    )
  }
}

function names(versions: Versions, current: CurrentPage): boolean {
  return versions === '*' || versions.includes(current.version)
}

function failed(current: CurrentPage, detail: string): AppError {
  return new AppError('precondition_failed', detail, { members: { current } })
}
