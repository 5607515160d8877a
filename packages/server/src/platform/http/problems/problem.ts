import { ERRORS } from '@recto/contract/error-table.ts'
import type { AppError, ErrorCode, Issue } from '@recto/contract/errors.ts'

/** A problem document (RFC 9457). `code` is the contract; `title` and `detail` are for people. */
export interface ProblemDocument {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ErrorCode
  readonly requestId: string
  readonly issues?: readonly Issue[]
  readonly [extra: string]: unknown
}

export function toStatus(code: ErrorCode): number {
  return ERRORS[code].status
}

export function toProblem(error: AppError, requestId: string, origin: string): ProblemDocument {
  const { status, title } = ERRORS[error.code]
  const { issues, members } = error.extras
  return {
    type: `${origin}/problems/${error.code}`,
    title,
    status,
    detail: error.message,
    code: error.code,
    requestId,
    ...(issues && { issues }),
    ...members,
  }
}
