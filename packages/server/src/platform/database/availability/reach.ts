import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { DatabaseServer } from '../connections/server.ts'
import { StartError } from '../embedded/start-error.ts'
import { classifyFailure } from './failure.ts'
import { primaryAmong } from './primary.ts'

interface Log {
  info(values: object, message: string): void
  warn(values: object, message: string): void
}

const WAIT_MS = 60_000
const LOG_EVERY_MS = 5_000
const RETRY_MS = 500
/** The errors of poolers for a parameter that they do not pass on, and of servers for one that they do not know. */
const REFUSED_OPTIONS =
  /unsupported startup parameter|unrecognized configuration parameter|client_connection_check_interval/

/** Errors that waiting does not resolve, by SQLSTATE. */
const HOPELESS: Readonly<Record<string, string>> = {
  '28P01': 'The database rejects the user or the password of SVC_DATABASE_URL. Correct them, then start again.',
  '28000':
    'The database does not let the user of SVC_DATABASE_URL in: allow it in pg_hba.conf, or give the role LOGIN.',
  '3D000': 'The database that SVC_DATABASE_URL names does not exist. Create it with createdb, then start again.',
  '42501': 'The user of SVC_DATABASE_URL may not use this database: make it the owner.',
}

/** Waits at a start until the primary accepts connections, a minute at most. What does not pass is a StartError. */
export async function reachDatabase(server: DatabaseServer, log: Log): Promise<void> {
  const began = performance.now()
  let loggedAt = began
  for (;;) {
    const error = await tryOnce(server)
    if (error === undefined) return
    if (sessionOptionsRejected(error)) {
      server.withoutSessionOptions()
      log.warn(
        { err: error },
        'the pooler passes no options on: ' +
          'set statement_timeout, lock_timeout and idle_in_transaction_session_timeout on the role',
      )
      continue
    }
    const hopeless = explain(error)
    if (hopeless !== undefined) throw new StartError(hopeless, { cause: error })
    const now = performance.now()
    if (now - began > WAIT_MS) {
      throw new StartError(
        `The database could not be reached within ${WAIT_MS / 1000} seconds: ${toWords(error)}. ` +
          `Start it, or correct SVC_DATABASE_URL.`,
        { cause: error },
      )
    }
    if (now - loggedAt >= LOG_EVERY_MS) {
      loggedAt = now
      log.warn({ seconds: Math.round((now - began) / 1000), reason: toWords(error) }, 'waiting for the database')
    }
    await sleep(RETRY_MS)
  }
}

/** Undefined once it is reachable; else the reason. */
async function tryOnce(server: DatabaseServer): Promise<unknown> {
  if (server.targets.length > 1) {
    const primary = await primaryAmong(server)
    if (primary !== undefined) server.follow(primary)
  }
  const client = new pg.Client(server.settings())
  client.on('error', () => {}) // reported by the next query
  try {
    await client.connect()
    const { rows } = await client.query('select pg_is_in_recovery() as standby')
    return rows[0].standby ? new Error('it is a standby, which accepts no writes') : undefined
  } catch (error) {
    return error
  } finally {
    client.connection.stream.destroy()
  }
}

/** Whether a pooler, or an old server, rejects the session options. */
export function sessionOptionsRejected(error: unknown): boolean {
  return error instanceof pg.DatabaseError && REFUSED_OPTIONS.test(error.message)
}

function explain(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (HOPELESS[code]) return `${HOPELESS[code]} (${toWords(error)})`
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO_|EPROTO)/.test(code) || /\bSSL\b/.test(toWords(error))) {
    return (
      `No TLS connection to the database can be made: ${toWords(error)}. ` +
      `Correct sslmode and sslrootcert in SVC_DATABASE_URL, or the certificate of the server.`
    )
  }
  // An invalid URL, or a bug: no server sent it.
  return classifyFailure(error) === 'other' && error instanceof pg.DatabaseError
    ? `The database rejects the connection: ${toWords(error)}.`
    : undefined
}

function toWords(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return toWords(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
