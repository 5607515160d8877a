import { IsOptional } from 'typebox'
import { AppError } from '../errors.ts'
import { decodeUtf8, parseJson } from '../lib/json.ts'

/** Whether a route can do without a body; one that is empty, of whatever type, is then none. */
export function needsBody(schema: unknown): boolean {
  return schema !== undefined && !(typeof schema === 'object' && schema !== null && IsOptional(schema))
}

/** The value of a JSON body (RFC 8259); throws `invalid_json` or `JsonError`. */
export function parseJsonBody(body: Buffer): unknown {
  const text = decodeUtf8(body)
  if (text === undefined) throw new AppError('invalid_json', 'The body is not UTF-8.')
  if (text.trim() === '') throw new AppError('invalid_json', 'The body is empty: send JSON.')
  return parseJson(text)
}
