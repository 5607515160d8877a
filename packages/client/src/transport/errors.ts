import type { Problem, ProblemCode } from '../types.ts'

/** The current version of a page whose precondition failed. */
export interface CurrentPage {
  readonly version: number
  readonly etag: string
  readonly updatedAt: string
  readonly updatedBy: { readonly id: string; readonly name: string; readonly kind: string }
}

/**
 * An error response of the service, a problem document of RFC 9457. Branch on `code`, or on the subclass.
 *
 * ```js
 * try {
 *   await recto.pages.get('docs', 'guide/start')
 * } catch (error) {
 *   if (!(error instanceof NotFoundError)) throw error
 * }
 * ```
 */
export class ApiError extends Error {
  override readonly name: string = 'ApiError'
  readonly status: number
  /** The stable code, such as `precondition_failed`; `unknown` if the response is not a problem document. */
  readonly code: ProblemCode | (string & {})
  /** Description for people; equal to `message`. */
  readonly detail: string
  /** Invalid parts of the input, if any. */
  readonly issues: readonly { readonly path: string; readonly message: string }[]
  /** The current version, with `precondition_failed`. */
  readonly current: CurrentPage | undefined
  /** The request id, as in the log of the service. */
  readonly requestId: string | undefined
  /** The complete problem document, including members of particular codes. */
  readonly problem: Readonly<Record<string, unknown>>

  constructor(status: number, code: string, detail: string, problem: Readonly<Record<string, unknown>> = {}) {
    super(detail)
    this.status = status
    this.code = code
    this.detail = detail
    const problemBody = problem as Partial<Problem> & { readonly current?: CurrentPage } // as the API documents it
    this.issues = problemBody.issues ?? []
    this.current = problemBody.current
    this.requestId = problemBody.requestId
    this.problem = problem
  }

  /** The ETag of the current version, if the problem contains it. */
  get currentETag(): string | undefined {
    return this.current?.etag
  }
}

/** The request is invalid; `issues` says where. Codes such as `invalid_request` and `payload_too_large`. */
export class InvalidRequestError extends ApiError {
  override readonly name = 'InvalidRequestError'
}
/** There is no valid key: `unauthorized`. */
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError'
}
/** The key does not permit this: `forbidden`. */
export class ForbiddenError extends ApiError {
  override readonly name = 'ForbiddenError'
}
/** Not found, not visible, or in the trash: `not_found`, `page_deleted`, ... */
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError'
}
/** The page or space has moved, and the function does not follow: `page_moved`, `space_renamed`. */
export class MovedError extends ApiError {
  override readonly name = 'MovedError'
}
/** The state does not allow it: `page_exists`, `slug_taken`, `edit_not_applicable`, ... */
export class ConflictError extends ApiError {
  override readonly name: string = 'ConflictError'
}
/** Somebody else has changed it, or the precondition is missing: `precondition_failed`, `precondition_required`. */
export class PreconditionError extends ConflictError {
  override readonly name = 'PreconditionError'
}
/** Too many requests, even after the retries: `too_many_requests`. */
export class RateLimitError extends ApiError {
  override readonly name = 'RateLimitError'
}
/** The service failed or is overloaded, even after the retries: `internal_error`, `database_unavailable`, ... */
export class ServiceError extends ApiError {
  override readonly name = 'ServiceError'
}

const CLASSES: Readonly<Record<number, typeof ApiError>> = {
  308: MovedError,
  401: AuthenticationError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  410: NotFoundError,
  412: PreconditionError,
  428: PreconditionError,
  429: RateLimitError,
}

/** The error of a problem document. The status of a code never changes, so it determines the class. */
export function toApiError(
  status: number,
  code: string,
  detail: string,
  problem?: Readonly<Record<string, unknown>>,
): ApiError {
  const fallback = status >= 500 ? ServiceError : InvalidRequestError
  return new (CLASSES[status] ?? fallback)(status, code, detail, problem)
}

/** The service could not be reached, or did not respond in time, until the retries ended. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError'

  constructor(url: string, cause: unknown) {
    super(`${url} does not answer: ${findReason(cause)}`, { cause })
  }
}

/** `fetch` has the reason in `cause`, and for several IP addresses in an `AggregateError`. */
function findReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return findReason(error.cause)
  if (error instanceof AggregateError && error.errors.length > 0) return findReason(error.errors[0])
  return error.message || error.name
}
