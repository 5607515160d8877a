import type { ErrorCode } from '../errors.ts'
import { toAppError } from '../http/framework-error.ts'
import { type ProblemDocument, problemOf } from '../http/problem.ts'

/** Who asks, as refusals and the log name it. */
export interface ErrorContext {
  readonly requestId: string
  readonly origin: string
  readonly logFault: (cause: unknown) => void
}

/** What an agent can do about it, in the words of the tools. */
const ADVICE: Partial<Record<ErrorCode, string>> = {
  precondition_required:
    'The page exists: read it with context_get_page, then call again with `version`, the version that you read.',
  precondition_failed:
    'Read the page again with context_get_page, apply your change to what stands there now, and call again with `version` of `current`; to make a page that does not exist leave `version` out.',
  edit_not_applicable:
    'Read the part with context_get_page, and name text and headings exactly as they stand.',
  invalid_cursor: 'Call again without `cursor` and with the same arguments.',
  not_found: 'context_list_spaces, context_list_pages and context_search tell what there is.',
  page_moved: 'Call again with the space and the path that `movedTo` names.',
  page_deleted:
    'The page is in the trash. To write another in its place call context_write_page without `version`.',
  template_not_found: 'context_list_templates tells what templates there are.',
  forbidden: 'context_whoami tells what your key allows, context_list_spaces what you may do in each space.',
  page_busy: 'Wait for some seconds and call again.',
  database_unavailable: 'Wait for some seconds and call again.',
}

/** The same problem that the HTTP API would answer with, and advice. A fault of the service is logged. */
export function errorFor(
  thrown: unknown,
  asked: ErrorContext,
): ProblemDocument & { readonly advice?: string } {
  const refusal = toAppError(thrown)
  if (refusal.code === 'internal_error') asked.logFault(refusal.cause ?? thrown)
  const advice = ADVICE[refusal.code]
  return { ...problemOf(refusal, asked.requestId, asked.origin), ...(advice !== undefined && { advice }) }
}
