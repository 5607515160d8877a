import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { existingFolder, reachServer } from '../embedded/backup.ts'
import { markMoved, rejectMoved } from '../embedded/moved.ts'
import { PRODUCT } from '../embedded/provision.ts'
import type { ConnectionSettings } from '../embedded/server.ts'
import { StartError } from '../embedded/start-error.ts'
import { connectEmbedded, connectUrl, type OpenClient } from './connect.ts'
import type { Manifest, Progress } from './format.ts'
import { load, requireEmpty } from './load.ts'
import { readDatabase } from './read.ts'

export interface MoveOptions {
  readonly data: string
  readonly programs: readonly string[]
  /** The empty database that everything goes to. */
  readonly url: string
  /** Told before writes are closed. */
  readonly announce: (estimate: { readonly bytes: number; readonly seconds: number }) => void
  readonly progress: Progress
  /** Ends the move: the old database takes writes again. */
  readonly signal: AbortSignal
}

export interface MoveReport {
  readonly manifest: Manifest
  /** How long writes were closed until the move was complete. They stay closed in the old database. */
  readonly closedMs: number
}

/** Any number that no other session lock has. */
const LOCK = 7_202_613
/** What two cores copied, compared and indexed in a second, of the size of the database. */
const BYTES_PER_SECOND = 4_000_000
const LEAST_SECONDS = 5
const END_MS = 5_000
/** A session that was about to begin has not read the settings of the database yet, or is visible by then. */
const BEGIN_MS = 250
const REOPEN_TRIES = 20

/**
 * Moves the embedded database to another server. Meanwhile a service reads from it, and its writes get 503; afterwards
 * it stays so, until the service is started with the new database. After a failure it takes writes again, at the latest
 * with its next start.
 */
export async function moveDatabase(options: MoveOptions): Promise<MoveReport> {
  const folder = existingFolder(options.data)
  rejectMoved(folder)
  await using undo = new AsyncDisposableStack()
  const { superuser } = undo.use(await reachServer(folder, options.programs))
  const operator = undo.use(await connectEmbedded(superuser))
  await lockMove(operator.client)
  const target = undo.use(await connectUrl(options.url, 'the URL'))
  await requireEmpty(target.client)
  const bytes = await readSize(operator.client)
  options.announce({ bytes, seconds: Math.ceil(LEAST_SECONDS + bytes / BYTES_PER_SECOND) })
  const source = undo.use(await connectEmbedded({ ...superuser, user: PRODUCT, database: PRODUCT }))
  let closedAt = performance.now()
  const close = async () => {
    closedAt = performance.now()
    await closeWrites(operator.client)
  }
  try {
    const { manifest } = await copy(source, target, { ...options, close })
    markMoved(folder, toHosts(options.url))
    return { manifest, closedMs: performance.now() - closedAt }
  } catch (error) {
    await reopenWrites(superuser)
    throw error
  }
}

/** The hosts of a URL, which may be several, without its password. */
function toHosts(url: string): string {
  return /^\w+:\/\/(?:[^@/?#]*@)?([^/?#]*)/.exec(url)?.[1] || 'another server'
}

/** The schema is made before writes are closed, since that takes seconds. */
async function copy(
  source: OpenClient,
  target: OpenClient,
  { progress, signal, close }: MoveOptions & { readonly close: () => Promise<void> },
) {
  const end = () => {
    for (const side of [source, target]) side[Symbol.dispose]()
  }
  signal.addEventListener('abort', end)
  try {
    signal.throwIfAborted()
    return await load(target.client, readDatabase(source.client, close), progress)
  } catch (error) {
    throw signal.aborted ? new StartError('The move was ended: the database is where it was.') : error
  } finally {
    signal.removeEventListener('abort', end)
  }
}

async function lockMove(client: pg.Client): Promise<void> {
  const { rows } = await client.query(`select pg_try_advisory_lock(${LOCK}) as locked`)
  if (!rows[0].locked) throw new StartError('The database is being moved by another command.')
}

async function readSize(client: pg.Client): Promise<number> {
  const { rows } = await client.query('select pg_database_size($1)::float8 as bytes', [PRODUCT])
  return rows[0].bytes
}

/** From now on sessions are read only: those that are open are ended. What they have acknowledged is committed. */
async function closeWrites(client: pg.Client): Promise<void> {
  await client.query(`alter database ${PRODUCT} set default_transaction_read_only = on`)
  const { rows } = await client.query('select clock_timestamp()::text as time')
  for (const waitMs of [BEGIN_MS, 0]) {
    const endings = await client.query(
      `select pid, pg_terminate_backend(pid, ${END_MS}) as ended from pg_stat_activity
       where datname = $1 and backend_type = 'client backend' and backend_start <= $2::timestamptz
         and application_name <> 'recto backup'`,
      [PRODUCT, rows[0].time],
    )
    const survivor = endings.rows.find(({ ended }) => !ended)
    if (survivor)
      throw new StartError(`The session ${survivor.pid} of the database cannot be ended. Nothing was moved.`)
    await sleep(waitMs)
  }
}

/** On a connection of its own: a server that was restarted, which may be why the move failed, has ended the other. */
async function reopenWrites(superuser: ConnectionSettings): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      using operator = await connectEmbedded(superuser)
      await operator.client.query(`alter database ${PRODUCT} reset default_transaction_read_only`)
      // Its sessions are read only until they are begun anew.
      await operator.client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and backend_type = 'client backend'`,
        [PRODUCT],
      )
      return
    } catch (error) {
      if (attempt < REOPEN_TRIES) await sleep(BEGIN_MS)
      else
        throw new StartError('The database takes no writes: restart the service, which mends that.', { cause: error })
    }
  }
}
