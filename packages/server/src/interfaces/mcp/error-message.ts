import type { ErrorDefinition } from '@recto/contract/error-definition.ts'
import { ERRORS } from '@recto/contract/error-table.ts'
import { isFault } from '@recto/contract/errors.ts'
import { isJsonObject } from '@recto/lib/json/json.ts'
import { showLine } from '@recto/lib/text/single-line.ts'
import { toAppError } from '../../platform/http/problems/framework-error.ts'
import { type ProblemDocument, toProblem } from '../../platform/http/problems/problem.ts'
import { truncate } from './bounds.ts'

/** The request that failed, for the problem document and the log. */
export interface ErrorContext {
  readonly requestId: string
  readonly origin: string
  readonly logFault: (cause: unknown) => void
}

/** Characters of an error. */
const MAX_ERROR = 250

type Problem = ReturnType<typeof problemFor>
/** What a tool is about: a page, unless it is a tool of files. */
export type ToolSubject = 'page' | 'file'

/** The error of a tool in terms of its own arguments. The problem document is in the metadata of the result. */
export function errorText(problem: Problem, subject: ToolSubject): string {
  const { code, movedTo } = problem
  const own = isJsonObject(movedTo)
    ? `The ${subject} is now ${movedTo.space}/${movedTo.path}.`
    : (preconditionText(problem, subject) ?? withAdvice(problem, subject))
  return truncate(showLine(`${code}: ${own}`), MAX_ERROR - 1)
}

function preconditionText({ code, current }: Problem, subject: ToolSubject): string | undefined {
  if (code !== 'precondition_required' && code !== 'precondition_failed') return undefined
  const version = isJsonObject(current) ? current.version : undefined
  const draft = isJsonObject(current) ? /^"draft-\d+-(\d+)"$/.exec(String(current.etag))?.[1] : undefined
  if (draft !== undefined)
    return `The change request changes it: its draft is ${draft}. Read that, then send \`draft\`.`
  if (code === 'precondition_required') {
    return (
      `The ${subject} exists, with version ${version}. Read it with context_get_${subject}, ` +
      `then send its \`version\`.`
    )
  }
  return version === undefined
    ? `There is no ${subject} here: leave out \`version\` to create one.`
    : `The ${subject} has changed: its version is ${version}. Read it again, apply your change to it, ` +
        `and send that \`version\`.`
}

function withAdvice({ code, detail, advice, issues }: Problem, subject: ToolSubject): string {
  if (code !== 'not_found') return [detail, advice].filter((text) => text !== undefined).join(' ')
  // An issue names the argument, and its message what there is instead.
  if (issues) return detail
  return `${detail} ${subject === 'file' ? 'List the files with context_list_files.' : advice}`
}

/**
 * The problem document that the HTTP API would return, and what to do in terms of tools. Internal errors are logged.
 */
export function problemFor(
  thrownError: unknown,
  { requestId, origin, logFault }: ErrorContext,
): ProblemDocument & { readonly advice?: string } {
  const error = toAppError(thrownError)
  if (isFault(error)) logFault(error.cause ?? thrownError)
  const { agentAdvice: advice }: ErrorDefinition = ERRORS[error.code]
  return { ...toProblem(error, requestId, origin), ...(advice !== undefined && { advice }) }
}
