import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import pg from 'pg'
import { StartError } from '../../packages/server/src/platform/database/embedded/start-error.ts'
import { backUpPortable, restorePortable } from '../../packages/server/src/platform/database/portable/backup.ts'
import { assertStatus } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { createEmptyDatabase, type TestDatabase, urlOf } from '../support/test-database.ts'

// A portable backup and its restore in another database, and what is wrong with files and targets.
const root = mkdtempSync(join(tmpdir(), 'recto-portable-'))
let nodes: Nodes
let target: TestDatabase
let file = ''
let number = 0
const path = (name: string) => join(root, `${name}-${++number}`)
const noProgress = () => {}

before(async () => {
  nodes = await startNodes()
  target = await createEmptyDatabase()
  const [admin] = nodes.admins
  await admin.space('docs')
  assertStatus(await admin.put('/pages/docs/home', '# Home\n\nA \\backslash, a\ttab, "quotes", \u{1F4D6}.'), 201)
  assertStatus(await admin.patch('/pages/docs/home/metadata', { set: { points: 1.5e-7, tags: ['a', null] } }), 200)
  const upload = { body: Buffer.alloc(300_000, 'x'), headers: { 'content-type': 'text/plain' } }
  assertStatus(await admin.call('PUT', '/files/docs/large.txt', upload), 201)
  file = path('backup')
  writeFileSync(join(root, 'secret-key'), 'a secret')
  await backUpPortable({ data: root, databaseUrl: urlOf(nodes.connection) }, file, noProgress)
})
after(async () => {
  await target[Symbol.asyncDispose]()
  await nodes[Symbol.asyncDispose]()
  rmSync(root, { recursive: true, force: true })
})

const restore = (backup: string, data = path('data')) =>
  restorePortable({ data, databaseUrl: target.url }, backup, noProgress)

async function ask(connection: pg.ClientConfig, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ ...connection, ssl: false })
  await client.connect()
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows
  } finally {
    await client.end()
  }
}

const RELATIONS = `select count(*)::int from pg_class where relnamespace = 'public'::regnamespace`
const isEmpty = async () => (await ask(target.connection, RELATIONS)).flat()[0] === 0
/** A file with another content of the archive. */
function changed(change: (tar: Buffer) => Buffer): string {
  const other = path('changed')
  writeFileSync(other, zstdCompressSync(change(zstdDecompressSync(readFileSync(file)))))
  return other
}
/** A file in which one text is another of the same length. */
function replaced(from: string, to: string): string {
  return changed((tar) => {
    assert.ok(tar.includes(from), from)
    tar.write(to, tar.indexOf(from), 'latin1')
    return tar
  })
}
async function assertRejected(backup: string, message: RegExp): Promise<void> {
  const data = path('data')
  await assert.rejects(restore(backup, data), (error) => error instanceof StartError && message.test(error.message))
  assert.ok(await isEmpty(), 'something was left in the database')
  assert.equal(existsSync(join(data, 'secret-key')), false)
}

test('tar and zstd read the file, which only its owner can read', () => {
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const tar = path('tar')
  writeFileSync(tar, zstdDecompressSync(readFileSync(file)))
  const names = execFileSync('tar', ['-tf', tar], { encoding: 'utf8' }).trim().split('\n')
  assert.deepEqual(names.slice(0, 2), ['recto/backup.json', 'recto/secret-key'])
  assert.equal(names.at(-1), 'manifest.json')
  assert.ok(names.includes('tables/page/000001.copy'))
  assert.ok(!names.some((name) => name.startsWith('tables/lease/')))
  assert.ok(!readdirSync(root).some((name) => name.includes('partial')))
})

test('a file that is cut, changed or none is rejected, and the target stays empty', async () => {
  const whole = readFileSync(file)
  // Not only the last bytes, which are a checksum and the padding of the archive: without them nothing is missing.
  for (const bytes of [
    whole.subarray(0, whole.length / 2),
    whole.subarray(0, whole.length * 0.9),
    Buffer.alloc(0),
    Buffer.from('none'),
  ]) {
    const other = path('cut')
    writeFileSync(other, bytes)
    await assertRejected(other, /damaged, or no backup|not a complete portable backup/)
  }
  for (const share of [0.2, 0.5, 0.8]) {
    const other = path('flipped')
    writeFileSync(other, flipped(whole, Math.floor(whole.length * share)))
    await assertRejected(other, /damaged|not loaded|no backup|another release|could not be loaded/)
  }
})

/** One changed byte. Some bits of a compressed file mean nothing: then it is the next one. */
function flipped(whole: Buffer, at: number): Buffer {
  const bytes = Buffer.from(whole)
  bytes[at] = (bytes[at] ?? 0) ^ 0x10
  try {
    return zstdDecompressSync(bytes).equals(zstdDecompressSync(whole)) ? flipped(whole, at + 1) : bytes
  } catch {
    return bytes
  }
}

test('what was changed and compressed again is found by the digests of the tables', async () => {
  await assertRejected(replaced('\tHome\t', '\tHume\t'), /the table page has \d+ rows with the digest/)
  await assertRejected(replaced('"isCalled"', '"isFalled"'), /could not be loaded|damaged/)
})

test('a backup of a newer release, of a newer format, and a physical one are rejected with advice', async () => {
  await assertRejected(
    replaced('"0170_due_for_review.sql"', '"9170_due_for_review.sql"'),
    /newer one, with 9170_due_for_review\.sql/,
  )
  await assertRejected(
    replaced('"formatVersion": 1', '"formatVersion": 2'),
    /has the version 2 of the format: restore it with Recto/,
  )
  await assertRejected(replaced('"recto-portable"', '"recto-backup"  '), /is a physical backup|damaged/)
})

test('the restored database has the rows, sequences and schema of the first one, and can be restored only once', async () => {
  const data = path('data')
  const loaded = await restore(file, data)
  assert.equal(readFileSync(join(data, 'secret-key'), 'utf8'), 'a secret')
  assert.ok((loaded.manifest.tables.blob_chunk?.bytes ?? 0) > 600_000)
  const schema = `select pg_get_indexdef(indexrelid) from pg_index join pg_class on pg_class.oid = indexrelid where relnamespace = 'public'::regnamespace
    union all select conrelid::regclass || conname || pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace
    union all select tgrelid::regclass || tgname || tgenabled::text from pg_trigger where not tgisinternal order by 1`
  assert.deepEqual(await ask(target.connection, schema), await ask(nodes.connection, schema))
  const sequences = 'select sequencename, last_value::text from pg_sequences order by 1'
  assert.deepEqual(await ask(target.connection, sequences), await ask(nodes.connection, sequences))
  const again = path('backup')
  const { manifest } = await backUpPortable({ data: root, databaseUrl: target.url }, again, noProgress)
  assert.deepEqual(manifest, loaded.manifest)
  await assert.rejects(restore(file), /is not empty: it has .*Nothing was changed/)
})
