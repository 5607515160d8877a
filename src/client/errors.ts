import type { Problem, ProblemCode } from './types.ts'

/** What stands at an address whose precondition was not met. */
export interface CurrentPage {
  readonly version: number
  readonly etag: string
  readonly updatedAt: string
  readonly updatedBy: { readonly id: string; readonly name: string; readonly kind: string }
}

/** The service refused a request, and said why: branch on `code`. */
export class ApiError extends Error {
  readonly status: number
  /** The stable word of the problem, such as `precondition_failed`; `unknown` where the answer was not the service's. */
  readonly code: ProblemCode | (string & {})
  /** What went wrong, for people: the same as `message`. */
  readonly detail: string
  /** Each wrong place of the input; none where the problem is not about places. */
  readonly issues: readonly { readonly path: string; readonly message: string }[]
  /** What stands there, with `precondition_failed`. */
  readonly current: CurrentPage | undefined
  /** The id of the request, which the log of the service has too. */
  readonly requestId: string | undefined
  /** The whole problem document, with the members that only some problems have. */
  readonly problem: Readonly<Record<string, unknown>>

  constructor(status: number, code: string, detail: string, problem: Readonly<Record<string, unknown>> = {}) {
    super(detail)
    this.name = 'RefusedError'
    this.status = status
    this.code = code
    this.detail = detail
    const known = problem as Partial<Problem> & { readonly current?: CurrentPage } // as the API documents it
    this.issues = known.issues ?? []
    this.current = known.current
    this.requestId = known.requestId
    this.problem = problem
  }

  /** The tag of what stands there now, where the service told it. */
  get currentETag(): string | undefined {
    return this.current?.etag
  }
}

/** The service did not answer, or was not able to serve, for as long as the client is patient. */
export class ConnectionError extends Error {
  constructor(url: string, cause: unknown) {
    super(`${url} does not answer: ${reasonOf(cause)}`, { cause })
    this.name = 'UnreachableError'
  }
}

/** `fetch` hides what happened in the cause of its error, and several addresses in an error of errors. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.cause !== undefined) return reasonOf(error.cause)
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  return error.message || error.name
}
