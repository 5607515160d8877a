import { ERRORS } from '@recto/contract/error-table.ts'
import type { ErrorCode } from '@recto/contract/errors.ts'
import { referToHeaders } from './headers.ts'

/** Error codes by status. */
export type ErrorCodes = ReadonlyMap<number, readonly ErrorCode[]>

/** The components of the responses with a problem document, by name. */
export type ProblemResponses = Record<string, object>

/** The headers of the errors of some codes. */
const HEADERS: Partial<Readonly<Record<ErrorCode, readonly string[]>>> = {
  unauthorized: ['WWW-Authenticate'],
  too_many_requests: ['RateLimit', 'RateLimit-Policy'],
  page_moved: ['Location'],
  file_moved: ['Location'],
  space_renamed: ['Location'],
}

/** The name of the response with one of these codes, which all have the same status; adds it where it is new. */
export function problemName(codes: readonly ErrorCode[], problems: ProblemResponses): string {
  const name = codes.join('.')
  problems[name] ??= problemResponse(codes)
  return name
}

function problemResponse(codes: readonly ErrorCode[]): object {
  const headers = codes.flatMap((code) => [
    ...(HEADERS[code] ?? []),
    // The explanation tells the caller to retry after a time.
    ...(ERRORS[code].explanation.includes('`Retry-After`') ? ['Retry-After'] : []),
  ])
  const code = { type: 'string', enum: codes }
  return {
    description: codes.map((each) => `\`${each}\`: ${ERRORS[each].title}.`).join(' '),
    headers: referToHeaders([...new Set([...headers, 'X-Request-Id'])]),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Problem' },
            { type: 'object', required: ['code'], properties: { code } },
          ],
        },
      },
    },
  }
}
