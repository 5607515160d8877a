import { AppError, retryLater } from '@recto/contract/errors.ts'

/**
 * The class of a database error. `away`: the database is not reachable at the moment, or not with this connection;
 * `conflict`: run the transaction again; `full`: its disk is full; `busy`: it is up, but lacks memory or time for
 * this statement.
 */
export type Failure = 'away' | 'conflict' | 'full' | 'busy' | 'other'

type Known = Exclude<Failure, 'other'>

/** By SQLSTATE (PostgreSQL, appendix A); two characters mean a class. */
export const BY_SQLSTATE: Readonly<Record<string, Known>> = {
  '08': 'away', // connection exceptions, and errors of poolers
  '25006': 'away', // read only: a standby, or a primary that was demoted
  '25P03': 'away', // idle_in_transaction_session_timeout ended the session
  '25P04': 'away', // transaction_timeout ended the session
  '28000': 'away', // the role may not log in, or pg_hba.conf rejects it
  '28P01': 'away', // the password was rotated
  '3D000': 'away', // the database is being restored
  '40001': 'conflict', // serialization failure
  '40003': 'away', // statement completion unknown
  '40P01': 'conflict', // deadlock
  '53000': 'busy',
  '53100': 'full',
  '53200': 'busy', // out of memory
  '53300': 'away', // too many connections
  '53400': 'busy',
  '55006': 'busy', // object in use
  '55P03': 'busy', // lock_timeout
  '57014': 'busy', // statement_timeout, or a cancel request
  '57P01': 'away', // admin shutdown
  '57P02': 'away', // crash shutdown
  '57P03': 'away', // starting up, shutting down, or in recovery
  '57P04': 'away', // the database was dropped
  '57P05': 'away', // idle_session_timeout
}

/** By the error code of Node.js, for failures before or below the protocol. */
export const BY_CODE: Readonly<Record<string, Known>> = {
  CERT_HAS_EXPIRED: 'away',
  EADDRNOTAVAIL: 'away',
  EAI_AGAIN: 'away',
  EAI_FAIL: 'away',
  ECONNABORTED: 'away',
  ECONNREFUSED: 'away',
  ECONNRESET: 'away',
  EHOSTDOWN: 'away',
  EHOSTUNREACH: 'away',
  EMFILE: 'away', // no descriptor is free for a connection
  ENETDOWN: 'away',
  ENETRESET: 'away',
  ENETUNREACH: 'away',
  ENFILE: 'away',
  ENOTCONN: 'away',
  ENOTFOUND: 'away',
  EPIPE: 'away',
  EPROTO: 'away',
  ERR_STREAM_DESTROYED: 'away',
  ERR_STREAM_WRITE_AFTER_END: 'away',
  ETIMEDOUT: 'away',
}

/** pg reports these without a code. */
export const BY_MESSAGE: readonly (readonly [RegExp, Known])[] = [
  [/^Connection terminated/, 'away'],
  [/^Client has encountered a connection error/, 'away'],
  [/^Client was closed and is not queryable/, 'away'],
  [/^Query read timeout/, 'away'],
  [/^timeout expired/, 'away'], // the server accepted the connection, but sent nothing
  [/^timeout exceeded when trying to connect/, 'away'],
  [/^The server does not support SSL connections/, 'away'],
  [/^There was an error establishing an SSL connection/, 'away'],
]

/** Classifies an error by its SQLSTATE, by the code of Node.js or, if pg gives neither, by its message. */
export function classifyFailure(error: unknown): Failure {
  if (!(error instanceof Error)) return 'other'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  // The socket of a server that does not run. Other missing files say nothing about a database.
  if ((code === 'ENOENT' || code === 'EACCES') && 'syscall' in error && error.syscall === 'connect') return 'away'
  const knownFailure = BY_SQLSTATE[code] ?? BY_CODE[code]
  if (knownFailure) return knownFailure
  if (/^[0-9A-Z]{5}$/.test(code)) return BY_SQLSTATE[code.slice(0, 2)] ?? 'other'
  return BY_MESSAGE.find(([message]) => message.test(error.message))?.[1] ?? 'other'
}
/** The name of the constraint that a row violated, for such an error. */
export function brokenConstraint(error: unknown): string | undefined {
  return error instanceof Error && 'constraint' in error && typeof error.constraint === 'string'
    ? error.constraint
    : undefined
}

/** The AppError for an error of the database, or the error itself if it is a bug. */
export function databaseError(error: unknown): unknown {
  const failure = classifyFailure(error)
  if (failure === 'full') {
    const detail = 'The disk of the database is full. Nothing was written. Free disk space, then try again.'
    return retryLater('storage_full', detail, 30, error)
  }
  // It was deleted after the writer had looked it up.
  const endedMatch = /_(space|group)_id_fkey$/.exec(brokenConstraint(error) ?? '')
  if (endedMatch) return new AppError('not_found', `The ${endedMatch[1]} does not exist any more.`, { cause: error })
  if (isDamage(error)) {
    const detail =
      'A part of what is stored here is damaged. Nothing was changed. The log of the service has the place.'
    return new AppError('storage_damaged', detail, { cause: error })
  }
  if (failure === 'other') return error
  const detail = 'The database does not answer at the moment. Try again shortly.'
  return retryLater('database_unavailable', detail, 2, error)
}

/** Whether the database read other bytes than it wrote: data_corrupted, index_corrupted (PostgreSQL, appendix A). */
export function isDamage(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'XX001' || error.code === 'XX002')
}
