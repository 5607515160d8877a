import { byteSize } from '@recto/lib/text/byte-size.ts'
import pg from 'pg'
import { isDamage } from '../availability/failure.ts'
import { copyMessages } from '../connections/copy-stream.ts'
import { DatabaseServer } from '../connections/server.ts'
import { existingFolder, findServer } from '../embedded/backup.ts'
import { PRODUCT } from '../embedded/provision.ts'
import type { ConnectionSettings } from '../embedded/server.ts'
import { findShortFiles } from '../embedded/short-files.ts'
import { StartError } from '../embedded/start-error.ts'
import { hasSchema } from '../migrate.ts'
import { connectEmbedded, connectUrl } from '../portable/connect.ts'
import { AMCHECK_FUNCTIONS, checkRelations } from './amcheck.ts'
import {
  type CheckContext,
  type CheckProgress,
  type CheckResult,
  type Finding,
  RESTORE,
  type Read,
  toMessage,
} from './finding.ts'

/** The database of a data folder, running or not, or that of a URL. */
export interface CheckedPlace {
  readonly data: string
  readonly databaseUrl: string | undefined
  readonly programs?: readonly string[] | undefined
}

export interface CheckReport {
  readonly seconds: number
  readonly checked: readonly string[]
  /** What could not be checked, and why. */
  readonly skipped: readonly string[]
  readonly findings: readonly Finding[]
}

interface StorageContext extends CheckContext {
  readonly client: pg.Client
  readonly superuser: pg.ClientConfig
  readonly isEmbedded: boolean
}

/** What only a superuser may do. */
const STORAGE_CHECKS: Readonly<Record<string, (context: StorageContext) => Promise<CheckResult>>> = {
  'checksums of blocks': (context) => checkChecksums(context, context.superuser),
  'lengths of files': checkLengths,
  async 'tables and indexes'(context) {
    await context.client.query(AMCHECK_FUNCTIONS)
    return checkRelations(context)
  },
}

/** Checks of what the tables say, by the table that each reads; '': several. */
export type ContentChecks = Readonly<Record<string, (context: CheckContext) => Promise<CheckResult>>>

/** Checks a database while the service runs: storage, contents, references, counters. No writer waits for its locks. */
export async function checkDatabase(
  place: CheckedPlace,
  contentChecks: ContentChecks,
  progress: CheckProgress,
): Promise<CheckReport> {
  const began = performance.now()
  await using opened = new AsyncDisposableStack()
  const { client, superuser } = await open(place, opened)
  if (!(await hasSchema(client))) {
    throw new StartError('The schema of the database is not that of this release: start the service once, then check.')
  }
  const context: CheckContext = { read: createRead(client), progress }
  const checkedParts: string[] = []
  const skippedParts: string[] = []
  const findings: Finding[] = []
  const add = (result: CheckResult) => {
    checkedParts.push(result.seen)
    for (const finding of result.findings) findings.push(finding)
  }
  for (const [name, check] of Object.entries(STORAGE_CHECKS)) {
    try {
      if (!superuser) throw new Error('needs a superuser')
      add(await check({ ...context, client, superuser, isEmbedded: place.databaseUrl === undefined }))
    } catch (error) {
      skippedParts.push(`${name}: ${toMessage(error)}`)
    }
  }
  for (const [table, check] of Object.entries(contentChecks)) {
    try {
      add(await check(context))
    } catch (error) {
      if (!isDamage(error)) throw error
      findings.push({ check: 'contents', table, id: '', problem: toMessage(error), advice: RESTORE })
    }
  }
  return { seconds: (performance.now() - began) / 1000, checked: checkedParts, skipped: skippedParts, findings }
}

/** A connection, and its settings if they are those of a superuser. */
async function open({ data, databaseUrl, programs }: CheckedPlace, opened: AsyncDisposableStack) {
  if (databaseUrl === undefined) {
    const server = opened.use(await findServer(existingFolder(data), programs))
    const superuser = { ...server.superuser, database: PRODUCT, ssl: false, application_name: 'recto check' }
    return { client: opened.use(await connectEmbedded(superuser)).client, superuser }
  }
  const { client } = opened.use(await connectUrl(databaseUrl, 'SVC_DATABASE_URL'))
  const { rows } = await client.query('select rolsuper from pg_roles where rolname = current_user')
  return { client, superuser: rows[0]?.rolsuper ? new DatabaseServer(databaseUrl).settings() : undefined }
}

async function checkLengths({ superuser, isEmbedded }: StorageContext): Promise<CheckResult> {
  if (!isEmbedded) throw new Error('only of the embedded database')
  const files = await findShortFiles(superuser as ConnectionSettings) // those of the embedded server
  const problem = 'the file is shorter than the last VACUUM left it'
  return {
    seen: 'lengths of files',
    findings: files.map((id) => ({ check: 'lengths', table: '', id, problem, advice: RESTORE })),
  }
}

function createRead(client: pg.Client): Read {
  return async <Row>(text: string, values: readonly unknown[] = []) => {
    await client.query(`begin read only; set local statement_timeout = 0; set local lock_timeout = '30s'`)
    try {
      return (await client.query(text, [...values])).rows as Row[] // as its statement selects them
    } finally {
      await client.query('rollback')
    }
  }
}

/** A backup that goes nowhere: the server reads each block of each file, and compares its checksum (PostgreSQL 15). */
const COMMAND = `BASE_BACKUP (LABEL 'recto check', TARGET 'blackhole', CHECKPOINT 'fast', WAIT false, MANIFEST 'no',
  MAX_RATE ${64 * 1024})`
const DATA_CORRUPTED = 'XX001'
const FILE = /file "(?:\.\/)?((?:base\/\d+|global)\/(\d+))[^"]*"/

/** Has the server compare the checksums of all blocks of all databases. `settings` are those of a superuser. */
async function checkChecksums({ read, progress }: CheckContext, settings: pg.ClientConfig): Promise<CheckResult> {
  const [state] = await read<{ enabled: string; bytes: string }>(
    `select current_setting('data_checksums') as enabled,
      (select sum(pg_database_size(oid)) from pg_database) as bytes`,
  )
  if (state?.enabled !== 'on') return { seen: 'the server has no checksums of blocks', findings: [] }
  progress('checksums', byteSize(Number(state.bytes)))
  const client = new pg.Client({ ...settings, replication: 'true' } as pg.ClientConfig) // its types leave it out
  client.on('error', () => {}) // the command rejects
  const warnings: string[] = []
  // The last one only has their number.
  client.on('notice', ({ message = '' }) => FILE.test(message) && warnings.push(message))
  await client.connect()
  try {
    for await (const _ of copyMessages(client, COMMAND)); // of its progress
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== DATA_CORRUPTED) throw error
    if (warnings.length === 0) warnings.push(error.message)
  } finally {
    await client.end().catch(() => {})
  }
  const findings: Finding[] = []
  for (const problem of warnings) {
    const [, id = '', node = '0'] = FILE.exec(problem) ?? []
    const rows = await read<{ name: string }>(`select pg_filenode_relation(0, $1::oid)::regclass::text as name`, [node])
    findings.push({ check: 'checksums', table: rows[0]?.name ?? '', id, problem, advice: RESTORE })
  }
  return { seen: `checksums of ${byteSize(Number(state.bytes))}`, findings }
}
