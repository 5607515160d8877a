import { byteSize } from '@recto/lib/text/byte-size.ts'
import pg from 'pg'
import { copyMessages } from '../connections/copy-stream.ts'
import { type CheckContext, type CheckResult, type Finding, RESTORE } from './finding.ts'

/** A backup that goes nowhere: the server reads every block of every file, and compares its checksum (PostgreSQL 15). */
const COMMAND = `BASE_BACKUP (LABEL 'recto check', TARGET 'blackhole', CHECKPOINT 'fast', WAIT false, MANIFEST 'no',
  MAX_RATE ${64 * 1024})`
const DATA_CORRUPTED = 'XX001'
const FILE = /file "(?:\.\/)?((?:base\/\d+|global)\/(\d+))[^"]*"/

/** Has the server compare the checksums of all blocks of all databases. `settings` are those of a superuser. */
export async function checkChecksums(
  { read, progress }: CheckContext,
  settings: pg.ClientConfig,
): Promise<CheckResult> {
  const [state] = await read<{ enabled: string; bytes: string }>(
    `select current_setting('data_checksums') as enabled, (select sum(pg_database_size(oid)) from pg_database) as bytes`,
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
