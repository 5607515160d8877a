import type { Problem, ProblemCode } from './types.ts'

/** The current version of a page whose precondition failed. */
export interface CurrentPage {
  readonly version: number
  readonly etag: string
  readonly updatedAt: string
  readonly updatedBy: { readonly id: string; readonly name: string; readonly kind: string }
}

/** An error response of the service, a problem document of RFC 9457. Branch on `code`. */
export class ApiError extends Error {
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
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.detail = detail
    const known = problem as Partial<Problem> & { readonly current?: CurrentPage } // as the API documents it
    this.issues = known.issues ?? []
    this.current = known.current
    this.requestId = known.requestId
    this.problem = problem
  }

  /** The ETag of the current version, if the problem contains it. */
  get currentETag(): string | undefined {
    return this.current?.etag
  }
}

/** The service could not be reached, or did not respond in time, until the retries ended. */
export class ConnectionError extends Error {
  constructor(url: string, cause: unknown) {
    super(`${url} does not answer: ${reasonOf(cause)}`, { cause })
    this.name = 'ConnectionError'
  }
}

/** `fetch` has the reason in `cause`, and for several IP addresses in an `AggregateError`. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return reasonOf(error.cause)
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  return error.message || error.name
}
