import { AppError } from '../errors.ts'

/** What an error of the database means for the caller. */
export type Failure = 'lost' | 'conflict' | 'full' | 'busy' | 'other'

const LOST_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
])
// pg reports these without a code.
const LOST_MESSAGES =
  /^(Connection terminated|Client has encountered a connection error|Query read timeout|timeout exceeded when trying to connect)/

/** Sorts an error by its SQLSTATE or, where pg gives none, by its message. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return 'other'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (/^(08...|57P0[123]|25006)$/.test(code) || LOST_CODES.has(code) || LOST_MESSAGES.test(error.message))
    return 'lost'
  if (code === '40001' || code === '40P01') return 'conflict'
  if (code === '53100') return 'full'
  return code === '53200' || code === '53300' || code === '57014' || code === '55P03' ? 'busy' : 'other'
}

/** The name of the constraint that a row broke, where that is what happened. */
export function brokenConstraint(error: unknown): string | undefined {
  return error instanceof Error && 'constraint' in error && typeof error.constraint === 'string'
    ? error.constraint
    : undefined
}

/** An error of the database as the refusal that callers are told, or the error itself when it is a bug. */
export function asRefusal(error: unknown): unknown {
  const failure = failureOf(error)
  if (failure === 'full') {
    return new AppError(
      'storage_full',
      'The disk of the database is full: nothing was written. Free space, then try again.',
      {
        cause: error,
        headers: { 'Retry-After': '30' },
      },
    )
  }
  // A row of a space that was deleted since the writer looked it up.
  if (brokenConstraint(error)?.endsWith('_space_id_fkey')) {
    return new AppError('not_found', 'The space does not exist any more.', { cause: error })
  }
  if (failure === 'other') return error
  return new AppError(
    'database_unavailable',
    'The database does not answer at the moment. Try again shortly.',
    {
      cause: error,
      headers: { 'Retry-After': '2' },
    },
  )
}
