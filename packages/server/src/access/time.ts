import { inputError } from '@recto/contract/errors.ts'

const DATE = /^\d{4}-\d\d-\d\d$/
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/

/** Parses a date-time that is still to come, or a date, which begins at midnight in UTC. */
export function parseFuture(text: string, path: string, now: Date): Date {
  const at = parseTime(DATE.test(text) ? `${text}T00:00:00Z` : text, path)
  if (at > now) return at
  const name = path.replace(/^\//, '')
  throw inputError('invalid_request', `The time \`${name}\` must be in the future.`, path, 'must be in the future')
}

/** Parses an RFC 3339 date-time; else `invalid_request` with an issue at `path`. */
export function parseTime(text: string, path: string): Date {
  const at = RFC_3339.test(text) ? new Date(text) : undefined
  if (at && !Number.isNaN(at.getTime())) return at
  const message = 'must be a date-time of RFC 3339, such as 2030-01-31T12:00:00Z'
  throw inputError('invalid_request', `The time \`${path.replace(/^\//, '')}\` ${message}.`, path, message)
}
