import { isDeepStrictEqual } from 'node:util'
import pg from 'pg'
import { classifyFailure } from '../availability/failure.ts'
import { copyIn } from '../connections/copy-stream.ts'
import { StartError } from '../embedded/start-error.ts'
import { beginLocked, schemaScript } from '../migrate.ts'
import type { Columns, Description, Manifest, Piece, Progress } from './format.ts'
import { summarise } from './read.ts'
import * as store from './store-schema.ts'

export interface LoadReport {
  readonly description: Description
  readonly manifest: Manifest
}

/**
 * Loads a backup into an empty database, which an ordinary role owns: the schema of the migrations that it names, then
 * its rows, which are read again and compared with the manifest. It is one transaction: after a failure, or a kill, the
 * database is as empty as before.
 */
export async function load(
  client: pg.ClientBase,
  pieces: AsyncIterable<Piece>,
  progress: Progress,
): Promise<LoadReport> {
  try {
    await beginLocked(client)
    await client.query(store.COPY_SETTINGS)
    await requireEmpty(client)
    const report = await loadPieces(client, pieces, progress)
    await client.query('commit')
    return report
  } catch (error) {
    if (error instanceof pg.DatabaseError || classifyFailure(error) !== 'other') {
      const reason = error instanceof Error ? error.message : String(error)
      throw new StartError(`The rows could not be loaded: ${reason}. The database was left empty.`, { cause: error })
    }
    throw error
  }
}

/** Rejects a database that has anything, or whose texts are not UTF-8. */
export async function requireEmpty(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query(
    `select current_setting('server_encoding') as encoding,
      current_setting('server_version_num')::int / 10000 as major`,
  )
  const { encoding, major } = rows[0]
  if (major < 15) throw new StartError(`PostgreSQL ${major} is too old: Recto needs 15 or newer`)
  if (encoding !== 'UTF8') throw new StartError(`The database has the encoding ${encoding}: create it with UTF8.`)
  const relation = await store.findAnyRelation(client)
  if (relation === undefined) return
  throw new StartError(
    `The database is not empty: it has ${relation}. Create a new one, and name that. Nothing was changed.`,
  )
}

async function loadPieces(
  client: pg.ClientBase,
  pieces: AsyncIterable<Piece>,
  progress: Progress,
): Promise<LoadReport> {
  let description: Description | undefined
  let columns: Columns = {}
  let attach: (() => Promise<void>) | undefined
  for await (const piece of pieces) {
    if (piece.kind === 'description') {
      description = piece.description
      await client.query(schemaScript(description.migrations))
      columns = await store.readColumns(client)
      compareColumns(columns, description.tables)
      attach = await detach(client, columns)
    } else if (!description || !attach) {
      throw new StartError('The backup does not begin with its description.')
    } else if (piece.kind === 'rows') {
      const { table, bytes } = piece
      // Frozen: the table is of this transaction, and nobody has to visit its rows again.
      await copyIn(client, `copy ${store.copyTarget(table, columns[table] ?? [])} from stdin with (freeze)`, bytes)
      progress(table, bytes.length)
    } else {
      const { manifest } = piece
      await attach()
      await setSequences(client, manifest)
      compareTables(await summarise(client), manifest)
      return { description, manifest }
    }
  }
  throw new StartError('The backup is not complete: its manifest is missing.')
}

/** The tables, empty, and without what would slow the load down; the result puts that on again. */
async function detach(client: pg.ClientBase, columns: Columns): Promise<() => Promise<void>> {
  const statements = await store.readDetachable(client, columns)
  await client.query(statements.detach.join(';\n'))
  // Rows that the migrations inserted.
  const tables = Object.keys(columns).map(pg.escapeIdentifier).join(', ')
  await client.query(`truncate ${tables}`)
  return async () => {
    for (const statement of statements.indexes) await client.query(statement)
    // The check of a foreign key needs a plan for tables that are not empty any more.
    await client.query(`analyze ${tables}`)
    for (const statement of statements.constraints) await client.query(statement)
  }
}

function compareColumns(actual: Columns, expected: Columns): void {
  const names = new Set([...Object.keys(actual), ...Object.keys(expected)])
  for (const name of names) {
    const [mine, theirs] = [actual, expected].map((columns) => [...(columns[name] ?? [])].sort())
    if (isDeepStrictEqual(mine, theirs)) continue
    throw new StartError(`The backup has another table ${name} than its migrations make: it is not loaded.`)
  }
}

function compareTables(actual: Manifest['tables'], { tables: expected }: Manifest): void {
  for (const [name, summary] of Object.entries(actual)) {
    if (isDeepStrictEqual(summary, expected[name])) continue
    throw new StartError(
      `The backup is damaged: the table ${name} has ${summary.rows} rows with the digest ${summary.digest}, and was ` +
        `backed up with ${expected[name]?.rows ?? 'no'} rows and ${expected[name]?.digest ?? 'no digest'}. ` +
        `The database was left empty.`,
    )
  }
}

async function setSequences(client: pg.ClientBase, { sequences }: Manifest): Promise<void> {
  for (const [name, { last, isCalled }] of Object.entries(sequences)) {
    await client.query('select setval($1::regclass, $2, $3)', [pg.escapeIdentifier(name), last, isCalled])
  }
  if (isDeepStrictEqual(await store.readSequences(client), sequences)) return
  throw new StartError('The backup is damaged: it has other sequences than its tables. The database was left empty.')
}
