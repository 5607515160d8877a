import { isDeepStrictEqual } from 'node:util'
import { version } from '@recto/lib/version.ts'
import pg from 'pg'
import { copyMessages } from '../connections/copy-stream.ts'
import { damageError, StartError } from '../embedded/start-error.ts'
import { type Manifest, type Piece, RowSum, type TableSummary } from './format.ts'
import { COPY_SETTINGS, copyTarget, readColumns, readSequences } from './store-schema.ts'

/** About the size of a part, which is in memory as a whole. */
const PART_BYTES = 1024 * 1024

/**
 * Everything that a database has, as one snapshot sees it: writers go on, and all that was acknowledged before is in
 * it. The snapshot is taken after `described`, when the reader is done with the description.
 */
export async function* readDatabase(
  client: pg.ClientBase,
  described: () => Promise<void> = async () => {},
): AsyncGenerator<Piece> {
  try {
    const tables = await readColumns(client)
    const { rows } = await client.query<{ name: string }>('select name from schema_migration order by name')
    yield {
      kind: 'description',
      description: {
        format: 'recto-portable',
        formatVersion: 1,
        createdAt: new Date().toISOString(),
        recto: version(),
        migrations: rows.map(({ name }) => name),
        tables,
      },
    }
    await described()
    await client.query(`begin isolation level repeatable read read only; ${COPY_SETTINGS}`)
    if (!isDeepStrictEqual(await readColumns(client), tables)) {
      throw new StartError('The database was migrated meanwhile: try again.')
    }
    const summaries: Record<string, TableSummary> = {}
    for (const [table, columns] of Object.entries(tables)) summaries[table] = yield* readTable(client, table, columns)
    yield { kind: 'manifest', manifest: { tables: summaries, sequences: await readSequences(client) } }
    await client.query('commit')
  } catch (error) {
    throw isDamage(error) ? damageError(error.message) : error
  }
}

async function* readTable(
  client: pg.ClientBase,
  table: string,
  columns: readonly string[],
): AsyncGenerator<Piece, TableSummary> {
  const sum = new RowSum()
  let rows: Buffer[] = []
  let size = 0
  for await (const messages of copyMessages(client, `copy ${copyTarget(table, columns)} to stdout`)) {
    for (const row of messages) {
      sum.add(row)
      rows.push(row)
      size += row.length
      if (size < PART_BYTES) continue
      yield { kind: 'rows', table, bytes: Buffer.concat(rows) }
      rows = []
      size = 0
    }
  }
  if (size > 0) yield { kind: 'rows', table, bytes: Buffer.concat(rows) }
  return sum.result()
}

/** The rows and the digest of each table, as this transaction sees them; for what a database has now. */
export async function summarise(client: pg.ClientBase): Promise<Manifest['tables']> {
  const summaries: Record<string, TableSummary> = {}
  for (const [table, columns] of Object.entries(await readColumns(client))) {
    const sum = new RowSum()
    for await (const messages of copyMessages(client, `copy ${copyTarget(table, columns)} to stdout`)) {
      for (const row of messages) sum.add(row)
    }
    summaries[table] = sum.result()
  }
  return summaries
}

/** Whether the database has read other bytes than it wrote: data_corrupted, index_corrupted. */
function isDamage(error: unknown): error is Error {
  return error instanceof pg.DatabaseError && (error.code === 'XX001' || error.code === 'XX002')
}
