import { hostUrls, targetSessionAttributes } from '@recto/lib/network/postgres-url.ts'
import { Problem } from './parse.ts'

/** The URL of the database that Recto writes to. */
export function databaseUrl(text: string): string | Problem {
  return postgresUrl(
    text,
    ['any', 'primary', 'read-write'],
    'target_session_attrs must be read-write: Recto writes to this database',
  )
}

/** The URL of the standbys. */
export function replicaUrl(text: string): string | Problem {
  return postgresUrl(
    text,
    ['any', 'standby', 'prefer-standby', 'read-only'],
    'target_session_attrs must be standby: only standbys are read from',
  )
}

function postgresUrl(text: string, targets: readonly string[], otherwise: string): string | Problem {
  if (!hostUrls(text)) {
    return new Problem(
      'must be an address such as postgres://user:password@host:5432/database; several hosts are written a:5432,b:5432',
    )
  }
  const target = targetSessionAttributes(text)
  return target === undefined || targets.includes(target) ? text : new Problem(otherwise)
}
