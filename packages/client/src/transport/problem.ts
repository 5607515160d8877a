/** Reads the errors of responses: problem documents of RFC 9457. */
import { type ApiError, toApiError } from './errors.ts'

/** The error of a response. */
export async function readProblem(response: Response): Promise<ApiError> {
  // Browsers hide the status of a redirect that is not followed.
  if (response.type === 'opaqueredirect') return toApiError(308, 'page_moved', 'The page has moved.')
  const { status } = response
  const problem = parsed(await response.text())
  if (isProblem(problem)) return toApiError(status, problem.code, problem.detail, problem)
  return toApiError(status, 'unknown', `The response with status ${status} is not a problem document.`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isProblem(value: unknown): value is Readonly<Record<string, unknown>> & {
  readonly code: string
  readonly detail: string
} {
  if (typeof value !== 'object' || value === null) return false
  return (
    'code' in value && typeof value.code === 'string' && 'detail' in value && typeof value.detail === 'string'
  )
}
