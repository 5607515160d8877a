import { ERRORS, type ErrorDefinition } from '../error-table.ts'
import { toAppError } from '../http/framework-error.ts'
import { type ProblemDocument, problemOf } from '../http/problem.ts'

/** The request that failed, for the problem document and the log. */
export interface ErrorContext {
  readonly requestId: string
  readonly origin: string
  readonly logFault: (cause: unknown) => void
}

/** The problem document that the HTTP API would return, and what to do in terms of tools. Internal errors are logged. */
export function problemFor(
  thrown: unknown,
  { requestId, origin, logFault }: ErrorContext,
): ProblemDocument & { readonly advice?: string } {
  const error = toAppError(thrown)
  if (error.code === 'internal_error') logFault(error.cause ?? thrown)
  const { agentAdvice: advice }: ErrorDefinition = ERRORS[error.code]
  return { ...problemOf(error, requestId, origin), ...(advice !== undefined && { advice }) }
}
