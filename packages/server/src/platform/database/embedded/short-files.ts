import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import type { ConnectionSettings } from './server.ts'

/** VACUUM shortens a file before it says so in the catalogue. */
const AGAIN_MS = 1_000

/**
 * Tables and indexes of all databases whose files are shorter than the last VACUUM left them: a base backup copies such
 * a file as it is, since each block that is there has its checksum.
 */
export async function findShortFiles(superuser: ConnectionSettings): Promise<string[]> {
  const files = await listShortFiles(superuser)
  if (files.length === 0) return files
  await sleep(AGAIN_MS)
  const still = new Set(await listShortFiles(superuser))
  return files.filter((file) => still.has(file))
}

async function listShortFiles(superuser: ConnectionSettings): Promise<string[]> {
  const databases = await query(superuser, 'select datname as name from pg_database where datallowconn')
  const files: string[] = []
  for (const database of databases) {
    const names = await query(
      { ...superuser, database },
      `select format('%s (%s)', pg_relation_filepath(oid), relname) as name from pg_class
       where relkind in ('r', 'i', 't', 'm') and relpages > 0
         and pg_relation_size(oid) < relpages::bigint * current_setting('block_size')::bigint`,
    )
    for (const name of names) files.push(name)
  }
  return files
}

async function query(settings: ConnectionSettings, text: string): Promise<string[]> {
  const client = new Client({ ...settings, ssl: false, application_name: 'recto backup' })
  client.on('error', () => {}) // the query rejects
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(text)
    return rows.map(({ name }) => name)
  } finally {
    await client.end().catch(() => {})
  }
}
