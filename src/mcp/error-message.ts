import { ERRORS, type ErrorDefinition } from '../error-table.ts'
import { toAppError } from '../http/problems/framework-error.ts'
import { type ProblemDocument, problemOf } from '../http/problems/problem.ts'
import { isJsonObject } from '../lib/json/json.ts'
import { truncate } from './bounds.ts'

/** The request that failed, for the problem document and the log. */
export interface ErrorContext {
  readonly requestId: string
  readonly origin: string
  readonly logFault: (cause: unknown) => void
}

/** Characters of an error. */
const MAX_ERROR = 250

/** The error of a tool in terms of its own arguments. The problem document is in the metadata of the result. */
export function errorText({ code, detail, advice, current, movedTo }: ReturnType<typeof problemFor>): string {
  const version = isJsonObject(current) ? current.version : undefined
  const own =
    code === 'precondition_failed'
      ? version === undefined
        ? 'There is no page here: leave out `version` to create one.'
        : `The page has changed: its version is ${version}. Read it again, apply your change to it, and send that \`version\`.`
      : code === 'precondition_required'
        ? `The page exists, with version ${version}. Read it with context_get_page, then send its \`version\`.`
        : isJsonObject(movedTo)
          ? `The page is now ${movedTo.space}/${movedTo.path}.`
          : [detail, advice].filter((text) => text !== undefined).join(' ')
  return truncate(`${code}: ${own}`, MAX_ERROR - 1)
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
