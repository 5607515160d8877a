/** The service refused a request, and said why. */
export class RefusedError extends Error {
  readonly status: number
  /** The stable word of the problem, such as `precondition_failed`. */
  readonly code: string

  constructor(status: number, code: string, detail: string) {
    super(detail)
    this.name = 'RefusedError'
    this.status = status
    this.code = code
  }
}

/** The service did not answer, or was not able to serve, for as long as the client is patient. */
export class UnreachableError extends Error {
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
