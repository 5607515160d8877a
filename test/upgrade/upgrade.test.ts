import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import { Client as Pg } from 'pg'
import { pino } from 'pino'
import { createApp } from '../../packages/server/src/app/app.ts'
import { loadConfig } from '../../packages/server/src/platform/config.ts'
import { SUPERUSER } from '../../packages/server/src/platform/database/embedded/initialise.ts'
import type { ConnectionSettings } from '../../packages/server/src/platform/database/embedded/server.ts'
import { migrationFiles } from '../../packages/server/src/platform/database/migrate.ts'
import { connectEmbedded } from '../../packages/server/src/platform/database/portable/connect.ts'
import { load } from '../../packages/server/src/platform/database/portable/load.ts'
import { readDatabase } from '../../packages/server/src/platform/database/portable/read.ts'
import { type Answer, assertStatus, Client } from '../support/client.ts'
import { dataFolder, until } from '../support/embedded.ts'
import { launchProcess } from '../support/process.ts'

// Upgrades from the releases that `releases/` holds a dump of, made by dump.sh: of all that fill.ts makes, and of
// nothing.
const RELEASES = join(import.meta.dirname, 'releases')
const MIGRATIONS = join(import.meta.dirname, '../../packages/server/src/platform/database/migrations')
/** The admin's key in every dump, which is of no service. */
const KEY = 'svc_FvlwQTG5VDKX0V7jgQ08TgEmSiBvVh2OZAbI'

async function withDump(file: string, use: (connection: ConnectionSettings) => Promise<void>): Promise<void> {
  await using folder = dataFolder()
  await using server = await folder.start()
  const restore = new Pg({ ...server.connection, ssl: false })
  await restore.connect()
  const dump = brotliDecompressSync(readFileSync(join(RELEASES, file))).toString()
  // Lines for psql alone.
  await restore.query(dump.replaceAll(/^\\.*$/gm, ''))
  // The release was used just now: what it stored for a time has not expired.
  await restore.query(`update public.idempotency set expires_at = now() + interval '1 day'`)
  await restore.query(`update public.page set deleted_at = now() where deleted_at is not null`)
  await restore.end()
  await use(server.connection)
}

function environment({ host, port, user, password, database }: ConnectionSettings) {
  const url = `postgres://${user}:${encodeURIComponent(password)}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`
  return {
    SVC_DATA: join(host, 'node'),
    SVC_DATABASE_URL: url,
    SVC_DATABASE_POOL: '4',
    SVC_PORT: '0',
    SVC_RATE_LIMIT: '0',
    SVC_ADMIN_API_KEY: KEY,
    SVC_SECRET_KEY: Buffer.alloc(32, '0').toString('base64'),
  }
}

function startNode(connection: ConnectionSettings) {
  return createApp(loadConfig(environment(connection)), pino({ level: 'silent' }))
}

const dumps = readdirSync(RELEASES).filter((name) => name.endsWith('.sql.br'))

test('the last release has a dump with data in every table, and an empty one', () => {
  assert.ok(dumps.some((name) => name.endsWith('-empty.sql.br')))
  assert.ok(dumps.some((name) => !name.endsWith('-empty.sql.br')))
})

for (const dump of dumps.filter((name) => name.endsWith('-empty.sql.br'))) {
  test(`${dump}: an empty database is migrated to the newest schema, and serves requests`, async () => {
    await withDump(dump, async (connection) => {
      await using app = await startNode(connection)
      const admin = new Client(app.address, KEY)
      assertStatus(await admin.get('/readyz'), 200)
      await admin.space('new')
      assertStatus(await admin.put('/pages/new/page', '# Page'), 201)
      assert.equal((await admin.get('/search?q=page')).json.items.length, 1)
    })
  })
}

for (const dump of dumps.filter((name) => !name.endsWith('-empty.sql.br'))) {
  test(`${dump}: all data of the release is available after the upgrade`, async () => {
    await withDump(dump, checkWorld)
  })

  test(`${dump}: all data of the release is available in a portable copy, which is upgraded`, async () => {
    await withDump(dump, async (connection) => {
      const copy = { ...connection, database: 'copy' }
      const superuser = new Pg({ ...connection, user: SUPERUSER, ssl: false })
      await superuser.connect()
      await superuser.query('create database copy owner recto template template0')
      await superuser.end()
      {
        using source = await connectEmbedded(connection)
        using target = await connectEmbedded(copy)
        await load(target.client, readDatabase(source.client), () => {})
      }
      await checkWorld(copy)
    })
  })
}

async function checkWorld(connection: ConnectionSettings): Promise<void> {
  await using app = await startNode(connection)
  const admin = new Client(app.address, KEY)
  const read = async (path: string): Promise<Answer> => assertStatus(await admin.get(path), 200)
  await read('/readyz')

  assert.match((await read('/pages/guide/home.md')).text, /findable$/)
  const setup = await admin.page('/pages/guide/setup')
  assert.equal(setup.json.version, 26)
  assert.match(setup.json.body, /Edited 2 times/)
  assert.equal((await admin.all('/pages/guide/setup/versions')).length, 26)
  for (const version of [1, 12, 25]) await read(`/pages/guide/setup/versions/${version}`)

  const { json } = await read('/pages/guide/setup/metadata')
  assert.deepEqual(json.metadata ?? json, {
    ...(json.metadata ?? json),
    owner: 'bob',
    due: '2026-12-24',
    tags: ['a', 'b', 'c'],
  })
  assert.equal((await admin.all('/pages/guide/setup/metadata/history')).length, 6)

  await until(async () => (await admin.get('/search?q=findable')).json.items.length === 1)
  await read('/pages/guide/home/links')
  assert.ok((await admin.all('/spaces/guide/links/broken')).length > 0, 'a missing page is still missing')
  assertStatus(await admin.get('/pages/guide/moving'), 308)
  assertStatus(await admin.get('/pages/guide/trashed'), 410)
  assertStatus(await admin.get('/spaces/former'), 308)
  assert.equal((await admin.all('/spaces/guide/trash')).length, 1)
  await checkFiles(admin)
  await checkDeliveries(admin)
  assert.deepEqual((await read('/spaces/guide/order')).json.names, ['setup', 'home'])
  assert.equal((await admin.all('/me/favourites')).length, 1)
  const [group] = await admin.all('/admin/groups')
  assert.equal((await admin.all(`/admin/groups/${group.id}/members`)).length, 1)
  assert.equal((await admin.all('/admin/invitations')).length, 1)
  assert.equal(
    (await admin.all('/admin/principals')).some(({ name }) => name === 'Bob'),
    true,
  )

  // The request that was sent with a key is not done again.
  const again = await admin.put('/pages/guide/once', '# Once', { 'idempotency-key': '"fill-1"' })
  assertStatus(again, 201)
  assert.equal((await admin.page('/pages/guide/once')).json.version, 1)
  // And what was there can be written on.
  assertStatus(await admin.put('/pages/guide/setup', '# Anew', { 'if-match': '"26"' }), 200)
}

async function checkFiles(admin: Client): Promise<void> {
  assert.equal((await admin.get('/files/guide/notes.txt')).text, 'second')
  assert.equal((await admin.all('/files/guide/notes.txt/versions')).length, 2)
  assertStatus(await admin.get('/files/guide/draft.txt'), 308)
  assertStatus(await admin.get('/files/guide/old.txt'), 410)
  assert.equal((await admin.get('/pages/guide/with-file/links')).json.files.length, 1)
}

/** A delivery that was repeated once, one that was rejected for good, and one that waits. */
async function checkDeliveries(admin: Client): Promise<void> {
  const statuses: Record<string, readonly (number | null)[]> = {}
  for (const { id } of await admin.all('/admin/webhooks')) {
    for (const delivery of await admin.all(`/admin/webhooks/${id}/deliveries`)) {
      const codes = delivery.attempts.map((each: { responseStatus: number | null }) => each.responseStatus)
      statuses[delivery.event] = codes
      for (const attempt of delivery.attempts) {
        assert.deepEqual(Object.keys(attempt).sort(), ATTEMPT_MEMBERS)
      }
    }
  }
  assert.deepEqual(statuses['page.updated'], [500, 204])
  assert.deepEqual(statuses['space.created'], [410])
  assert.ok('page.created' in statuses)
}

const ATTEMPT_MEMBERS = ['at', 'durationMs', 'error', 'responseBody', 'responseStatus']

test('a database with unknown newer migrations is rejected with advice', async () => {
  const dump = dumps.find((name) => name.endsWith('-empty.sql.br')) ?? ''
  await withDump(dump, async (connection) => {
    const pg = new Pg({ ...connection, ssl: false })
    await pg.connect()
    await pg.query(`insert into schema_migration (name, checksum) values ('9999_future.sql', 'x')`)
    await pg.end()
    await assert.rejects(startNode(connection), {
      name: 'StartError',
      message:
        /brought to 9999_future\.sql by a newer release than this one, which knows \d{4}_\w+\.sql\. Start that release/,
    })
  })
})

test('a database of a release before the base schema is rejected with the commit to start once, exit code 69', async () => {
  const dump = dumps.find((name) => name.endsWith('-empty.sql.br')) ?? ''
  await withDump(dump, async (connection) => {
    const pg = new Pg({ ...connection, ssl: false })
    await pg.connect()
    await pg.query(`delete from schema_migration where name = '0136_dates_as_written.sql'`)
    const { SVC_DATA: data, ...env } = environment(connection)
    const { ready, ended } = launchProcess({ data, env })
    await assert.rejects(
      ready,
      /brought to 0135_read_bodies_again\.sql by a release that is too old for this one to migrate\. Start the commit [0-9a-f]{8} with it once, then this release\./,
    )
    assert.equal(await ended, 69)
    const { rowCount } = await pg.query(`select from schema_migration where name = '0136_schema.sql'`)
    assert.equal(rowCount, 0, 'nothing was changed')
    await pg.end()
  })
})

test('/readyz reports a schema that does not match the release', async () => {
  const dump = dumps.find((name) => name.endsWith('-empty.sql.br')) ?? ''
  await withDump(dump, async (connection) => {
    await using app = await startNode(connection)
    const client = new Client(app.address, KEY)
    assertStatus(await client.get('/readyz'), 200)
    const pg = new Pg({ ...connection, ssl: false })
    await pg.connect()
    // A backup of an older release was restored beneath the node.
    await pg.query('delete from schema_migration where name = (select max(name) from schema_migration)')
    await until(async () => (await client.get('/readyz')).status === 503)
    assert.match((await client.get('/readyz')).json.detail, /schema/)
    await pg.end()
  })
})

test('no migration blocks writers while it builds an index', () => {
  // The first one meets no database in use, and the tables that the others make are in no release yet.
  const made = new Set<string | undefined>()
  for (const name of migrationFiles().slice(1)) {
    const text = readFileSync(join(MIGRATIONS, name), 'utf8').replaceAll(/^--.*$/gm, '')
    for (const [, table] of text.matchAll(/create table (\w+)/g)) made.add(table)
    for (const [, table] of text.matchAll(/create (?:unique )?index(?! concurrently)\s+\w+\s+on (\w+)/g)) {
      assert.ok(
        made.has(table) || existsSync(join(MIGRATIONS, 'online', name)),
        `${name} holds up the writers of ${table}: build the index concurrently, "Outside a transaction"`,
      )
    }
  }
})
