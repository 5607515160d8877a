import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Client } from 'pg'
import { backUp } from '../../packages/server/src/platform/database/embedded/backup.ts'
import { restore } from '../../packages/server/src/platform/database/embedded/restore.ts'
import { startEmbedded } from '../../packages/server/src/platform/database/embedded/server.ts'
import { StartError } from '../../packages/server/src/platform/database/embedded/start-error.ts'

const log = { info: () => {}, warn: () => {}, error: () => {} }
const root = mkdtempSync(join(tmpdir(), 'recto-backup-'))
after(() => rmSync(root, { recursive: true, force: true }))
let number = 0
const path = (name: string) => join(root, `${name}-${++number}`)

async function connected<T>(dataDir: string, use: (client: Client) => Promise<T>): Promise<T> {
  await using server = await startEmbedded({ dataDir, maxConnections: 20, log })
  const client = new Client({ ...server.connection, ssl: false })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

/** A data folder with a table of `count` rows. */
async function filled(count: number): Promise<string> {
  const data = path('data')
  await connected(data, (client) =>
    client.query(`create table t (id int primary key, text text);
      insert into t select n, repeat('x', 500) from generate_series(1, ${count}) n`),
  )
  writeFileSync(join(data, 'secret-key'), 'a secret')
  return data
}

test('a backup during writes has all changes acknowledged before it, and is consistent', async () => {
  const data = path('data')
  const file = path('file')
  let before = 0
  await using server = await startEmbedded({ dataDir: data, maxConnections: 20, log })
  const open = async () => {
    const client = new Client({ ...server.connection, ssl: false })
    await client.connect()
    return client
  }
  const first = await open()
  // Each pair is one transaction: a backup that holds half of one is not consistent.
  await first.query('create table pair (id bigint generated always as identity primary key, side text, at int)')
  await first.query(`create index on pair (at, side)`)
  let acknowledged = 0
  let stop = false
  const writers = Array.from({ length: 6 }, async () => {
    const client = await open()
    while (!stop) {
      const at = Math.floor(Math.random() * 1e9)
      await client.query(`insert into pair (side, at) values ('left', ${at}), ('right', ${at})`)
      acknowledged++
    }
    await client.end()
  })
  while (acknowledged < 500) await new Promise((resolve) => setTimeout(resolve, 5))
  before = acknowledged
  await first.query('checkpoint').catch(() => {})
  const report = await backUp(data, file)
  const during = acknowledged - before
  stop = true
  await Promise.all(writers)
  await first.end()
  assert.ok(during > 0, 'nobody wrote while the backup was taken')
  assert.equal(statSync(file).size, report.size)
  assert.equal(statSync(file).mode & 0o777, 0o600)

  const copy = path('copy')
  const restored = await restore(copy, file)
  assert.equal(restored.tables, 1)
  assert.equal(restored.indexes, 2)
  await connected(copy, async (client) => {
    const { rows } = await client.query(`select count(*)::int as rows, count(*) filter (where odd)::int as odd
      from (select at, count(*) % 2 = 1 as odd, count(*) from pair group by at) x`)
    assert.equal(rows[0].odd, 0)
    assert.ok(rows[0].rows >= before * 0.99, `${rows[0].rows} pairs of ${before} that were acknowledged before`)
    const total = await client.query('select count(*)::int as count from pair')
    assert.ok(total.rows[0].count >= 2 * before, `${total.rows[0].count} rows, ${2 * before} were acknowledged before`)
    await client.query(`insert into pair (side, at) values ('left', 1)`)
  })
})

test('if no service runs, the server is started for the backup', async () => {
  const data = await filled(1_000)
  const file = path('file')
  await backUp(data, file)
  const copy = path('copy')
  await restore(copy, file)
  await connected(copy, async (client) => {
    assert.equal((await client.query('select count(*)::int as count from t')).rows[0].count, 1_000)
  })
  assert.equal(readFileSync(join(copy, 'secret-key'), 'utf8'), 'a secret')
})

test('a truncated or modified backup is rejected, and no database is created', async () => {
  const data = await filled(200)
  const file = path('file')
  await backUp(data, file)
  const whole = readFileSync(file)
  const damaged = (change: (bytes: Buffer) => Buffer) => {
    const other = path('file')
    writeFileSync(other, change(Buffer.from(whole)))
    return other
  }
  const flipped = (at: number) => (bytes: Buffer) => {
    bytes[at] = (bytes[at] ?? 0) ^ 0x10
    return bytes
  }
  const broken = [
    damaged((bytes) => bytes.subarray(0, bytes.length / 2)),
    damaged((bytes) => bytes.subarray(0, bytes.length * 0.95)),
    damaged(() => Buffer.alloc(0)),
    damaged(() => Buffer.from('no backup')),
    ...[0.1, 0.3, 0.5, 0.7, 0.9].map((part) => damaged(flipped(Math.floor(whole.length * part)))),
  ]
  for (const other of broken) {
    const copy = path('copy')
    await assert.rejects(restore(copy, other), StartError)
    assert.ok(!existsSync(join(copy, 'postgres')))
  }
})

test('a damaged database is not backed up: the message names the file', async () => {
  const locate = (data: string) =>
    connected(data, async (client) => {
      await client.query('vacuum analyze t')
      return String((await client.query(`select pg_relation_filepath('t') as file`)).rows[0].file)
    })
  const damages: readonly ((bytes: Buffer) => Buffer)[] = [
    (bytes) => bytes.fill(0x5a, 8192 + 4000, 8192 + 4100),
    (bytes) => bytes.subarray(0, bytes.length / 2),
  ]
  for (const damage of damages) {
    const data = await filled(1_000)
    const name = await locate(data)
    const table = join(data, 'postgres', name)
    writeFileSync(table, damage(readFileSync(table)))
    const file = path('file')
    const about = new RegExp(`damaged, and was not backed up: .*${name}`)
    await assert.rejects(backUp(data, file), (error) => error instanceof StartError && about.test(error.message))
    assert.equal(existsSync(file), false)
  }
})

test('a backup or a restore overwrites nothing', async () => {
  const data = await filled(10)
  const file = path('file')
  await backUp(data, file)
  await assert.rejects(backUp(data, file), /exists/)
  await assert.rejects(restore(data, file), /holds a database already/)
  await assert.rejects(backUp(path('none'), path('file')), /no embedded database/)
  await assert.rejects(restore(path('copy'), path('none')), /no file/)
})

test('other programs read the archive', async () => {
  const { zstdDecompressSync } = await import('node:zlib')
  const { execFileSync } = await import('node:child_process')
  const data = await filled(10)
  const file = path('file')
  await backUp(data, file)
  const tar = path('tar')
  writeFileSync(tar, zstdDecompressSync(readFileSync(file)))
  const names = execFileSync('tar', ['-tf', tar], { encoding: 'utf8' }).split('\n')
  for (const name of ['recto/backup.json', 'recto/secret-key', 'PG_VERSION', 'backup_label', 'backup_manifest']) {
    assert.ok(names.includes(name), name)
  }
})
