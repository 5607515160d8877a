import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import pg from 'pg'
import { migrate } from '../../packages/server/src/platform/database/migrate.ts'
import { Client } from '../support/client.ts'
import { dataFolder, until } from '../support/embedded.ts'
import { ROOT, startProcess } from '../support/process.ts'
import { MixedLoad } from './mixed-load.ts'

// A rolling upgrade: nodes of the last release and of this one serve one database side by side.
const LAST = '4a549370'
const KEY = 'svc_FvlwQTG5VDKX0V7jgQ08TgEmSiBvVh2OZAbI'
/** How often each node does everything while both serve: by hand, RECTO_ROLLING_ROUNDS=6. */
const ROUNDS = Number(process.env.RECTO_ROLLING_ROUNDS ?? 0)

function release(file: string): string {
  return brotliDecompressSync(readFileSync(join(import.meta.dirname, 'releases', file))).toString()
}

async function withRelease(file: string, use: (server: pg.ClientConfig, client: pg.Client) => Promise<void>) {
  await using folder = dataFolder()
  await using server = await folder.start()
  const connection = { ...server.connection, ssl: false }
  const client = new pg.Client(connection)
  // The server ends first where the test fails.
  client.on('error', () => {})
  await client.connect()
  // Lines that begin so are for psql alone.
  await client.query(release(file).replaceAll(/^\\.*$/gm, ''))
  await client.query('set search_path = public')
  await use(connection, client)
  await client.end()
}

async function migrateAll(connection: pg.ClientConfig): Promise<void> {
  const pool = new pg.Pool({ ...connection, max: 3 })
  await migrate(pool)
  await pool.end()
}

test('the statements and rows of the last release fit the schema of this one', async () => {
  await withRelease(`${LAST}-empty.sql.br`, async (connection, client) => {
    const columns = async () => {
      const { rows } = await client.query<{ name: string; given: boolean }>(`
        select table_name || '.' || column_name as name, is_nullable = 'YES' or column_default is not null
          or is_identity = 'YES' or is_generated = 'ALWAYS' as given
        from information_schema.columns where table_schema = 'public'`)
      return new Map(rows.map(({ name, given }) => [name, given]))
    }
    const before = await columns()
    const tables = new Set([...before.keys()].map((name) => name.split('.')[0]))
    await migrateAll(connection)
    const after = await columns()
    for (const name of before.keys()) assert.ok(after.has(name), `${name} is still there`)
    for (const [name, given] of after) {
      const inserted = !before.has(name) && tables.has(name.split('.')[0])
      assert.ok(!inserted || given, `${name} has a value where the last release inserts a row`)
    }

    // Planned as the release has them planned: by that, conflict targets are looked up, too.
    await client.query('set plan_cache_mode = force_generic_plan')
    const statements: string[] = JSON.parse(release(`${LAST}.statements.json.br`))
    assert.ok(statements.length > 100)
    for (const text of statements) {
      await client.query(`prepare last as ${text}`)
      const { rows } = await client.query(
        `select cardinality(parameter_types) as count from pg_prepared_statements where name = 'last'`,
      )
      const nulls = Array(rows[0].count).fill('null').join(', ')
      await client.query(`explain execute last${nulls && `(${nulls})`}`)
      await client.query('deallocate last')
    }
  })
})

const lastProgram = { skip: reasonToSkip() }

function reasonToSkip(): string | false {
  if (ROUNDS === 0) return 'it starts two programs: RECTO_ROLLING_ROUNDS=6 runs it'
  return hasLast() ? false : `the history of this checkout does not hold ${LAST}`
}

function hasLast(): boolean {
  try {
    execFileSync('git', ['cat-file', '-e', `${LAST}^{commit}`], { cwd: ROOT, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** The program of the last release, with the packages of this one. */
function checkOutLast(): Disposable & { readonly root: string } {
  const root = mkdtempSync(join(tmpdir(), 'recto-last-'))
  const archive = execFileSync('git', ['archive', LAST], { cwd: ROOT, maxBuffer: 2 ** 28 })
  execFileSync('tar', ['-x', '-C', root], { input: archive })
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
  return { root, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) }
}

test(
  'nodes of two releases run concurrently, and rows of the older one are migrated afterwards',
  lastProgram,
  async (t) => {
    using last = checkOutLast()
    await withRelease(`${LAST}.sql.br`, async (connection, client) => {
      const { host, port, user, password, database } = connection
      await using data = dataFolder()
      const program = {
        data: data.path,
        env: {
          SVC_DATABASE_URL: `postgres://${user}:${encodeURIComponent(String(password))}@localhost:${port}/${database}?host=${encodeURIComponent(String(host))}`,
          SVC_DATABASE_POOL: '4',
          SVC_RATE_LIMIT: '0',
          SVC_ADMIN_API_KEY: KEY,
          SVC_SECRET_KEY: Buffer.alloc(32, '0').toString('base64'),
        },
      }
      await using old = await startProcess({ ...program, root: last.root })
      const oldLoad = new MixedLoad('old', new Client(old.url, KEY))
      // Its connections are open then: it answers 500 where opening one takes over five seconds.
      await oldLoad.round()
      const young = startProcess(program)
      // It migrates beside the load.
      oldLoad.start()
      await using node = await young
      const newLoad = new MixedLoad('new', new Client(node.url, KEY))
      newLoad.start()
      const before = oldLoad.rounds
      try {
        const done = () => newLoad.rounds >= ROUNDS && oldLoad.rounds >= before + ROUNDS
        await until(() => done() || oldLoad.failures.length + newLoad.failures.length > 0, 600_000)
      } finally {
        await oldLoad.stop()
        await newLoad.stop()
      }
      for (const { requests, slowestMs } of [oldLoad, newLoad]) {
        t.diagnostic(`${requests} requests, the slowest ${slowestMs.toFixed(0)} ms`)
      }
      assert.deepEqual([...oldLoad.failures, ...newLoad.failures], [])

      await old[Symbol.asyncDispose]()
      await until(async () => {
        return (await client.query(`select from link_rebuild where status = 'running'`)).rowCount === 0
      }, 120_000)

      const alone = new MixedLoad('alone', new Client(node.url, KEY))
      await alone.round()
      assert.deepEqual(alone.failures, [])
      const unwritten = `select from link where slug = '' and target_space_id is distinct from space_id`
      assert.equal((await client.query(unwritten)).rowCount, 0, 'the slugs of all links are known')
      const { json } = await new Client(node.url, KEY).get('/pages/guide/shared/links')
      assert.equal(json.outbound.length, 3)
    })
  },
)
