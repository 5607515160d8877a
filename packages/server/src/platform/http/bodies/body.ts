import { AppError, inputError } from '@recto/contract/errors.ts'
import { decodeUtf8, JsonMembersError, parseJson } from '@recto/lib/json/json.ts'
import { IsOptional } from 'typebox'

/** The cost of JSON grows with its members: so many are parsed and validated within some milliseconds. */
const LIMITS = { maxKeys: 20_000, maxElements: 100_000 }

/** Whether the route accepts requests without a body; an empty body, of whatever type, counts as none. */
export function needsBody(schema: unknown): boolean {
  return schema !== undefined && !(typeof schema === 'object' && schema !== null && IsOptional(schema))
}

/** The value of a JSON body (RFC 8259); throws `invalid_json`, `payload_too_large` for many members, or `JsonError`. */
export function parseJsonBody(body: Buffer): unknown {
  const text = decodeUtf8(body)
  if (text === undefined) throw new AppError('invalid_json', 'The body is not UTF-8.')
  if (text.trim() === '') throw new AppError('invalid_json', 'The body is empty: send JSON.')
  try {
    return parseJson(text, LIMITS)
  } catch (error) {
    if (!(error instanceof JsonMembersError)) throw error
    const message = `must have at most ${LIMITS.maxKeys} keys and ${LIMITS.maxElements} elements of arrays`
    const detail = `The JSON of the body ${message}. Nothing was changed.`
    throw inputError('payload_too_large', detail, '', message)
  }
}
