import type { ERRORS } from './error-table.ts'

/** The `code` of a problem. Codes are part of the API; titles and details are not. */
export type ErrorCode = keyof typeof ERRORS

/** One error in the input. `path` is a JSON Pointer, or the name of a parameter. */
export interface Issue {
  readonly path: string
  readonly message: string
}

export interface ErrorExtras {
  readonly issues?: readonly Issue[]
  /** Further members of the problem document, such as `current`. */
  readonly members?: Readonly<Record<string, unknown>>
  /** Response headers, such as `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** An error that is reported to the caller. Anything else that is thrown is a bug. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly extras: ErrorExtras

  constructor(code: ErrorCode, detail: string, extras: ErrorExtras = {}) {
    super(detail, { cause: extras.cause })
    this.name = 'AppError'
    this.code = code
    this.extras = extras
  }
}

/** An error in one member of the input. */
export function inputError(code: ErrorCode, detail: string, path: string, message: string): AppError {
  return new AppError(code, detail, { issues: [{ path, message }] })
}

/** An error after which the same request may succeed in some seconds. */
export function retryLater(code: ErrorCode, detail: string, seconds: number, cause?: unknown): AppError {
  return new AppError(code, detail, { headers: { 'Retry-After': String(seconds) }, cause })
}

/** Whether an error is a fault of the service, whose cause is logged. */
export function isFault({ code }: { readonly code: string }): boolean {
  return code === 'internal_error' || code === 'storage_damaged'
}
