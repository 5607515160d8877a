import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { SUPERUSER } from '../../packages/server/src/platform/database/embedded/initialise.ts'
import { type EmbeddedServer, startEmbedded } from '../../packages/server/src/platform/database/embedded/server.ts'
import { backUpPortable, restorePortable } from '../../packages/server/src/platform/database/portable/backup.ts'
import { sumUp } from '../../packages/server/src/platform/database/portable/format.ts'
import { type Answer, assertStatus, Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { inPerson } from '../support/in-person.ts'
import { newPerson } from '../support/people.ts'
import { ROOT, startProcess } from '../support/process.ts'
import { urlOf } from '../support/test-database.ts'
import { fill } from '../upgrade/fill.ts'

// A world goes from the embedded database to another server and back, and through kills in the middle.
const DEBIAN = '/usr/lib/postgresql/15/bin'
const ROUNDS = Number(process.env.RECTO_KILL_ROUNDS ?? 1)
const ENV = {
  SVC_RATE_LIMIT: '0',
  SVC_WEBHOOKS_ALLOW_HTTP: '1',
  SVC_WEBHOOKS_ALLOW_PRIVATE_URLS: '1',
  SVC_WEBHOOKS_RETRY_SCHEDULE: '1,1,1',
}
const log = { info: () => {}, warn: () => {}, error: () => {} }
const root = mkdtempSync(join(tmpdir(), 'recto-portable-'))
const data = join(root, 'data')
const noProgress = () => {}
let external: EmbeddedServer
let number = 0
let key = ''
let file = ''
let cursor = ''
const path = (name: string) => join(root, `${name}-${++number}`)

before(async () => {
  // Another major version of PostgreSQL, if the machine has one.
  const programs = existsSync(DEBIAN) ? [DEBIAN] : []
  external = await startEmbedded({ dataDir: join(root, 'external'), maxConnections: 60, programs, log })
  await using recto = await startProcess({ data, env: ENV })
  key = recto.key
  const admin = new Client(recto.url, key)
  await fill(admin)
  await fillMore(admin)
  cursor = (await admin.get('/changes?since=now')).json.nextCursor
  await recto[Symbol.asyncDispose]()
  file = path('backup')
  await backUpPortable({ data, databaseUrl: undefined }, file, noProgress)
})
after(async () => {
  await external.stop()
  rmSync(root, { recursive: true, force: true, maxRetries: 3 })
})

/** What releases before the first one did not have. */
async function fillMore(admin: Client): Promise<void> {
  const put = (path: string, json: object = {}) => admin.call('PUT', path, { json })
  const ok = ({ status, text }: Answer) => assert.ok(status < 300, `${status}: ${text.slice(0, 300)}`)
  const ann = await newPerson(admin, 'Ann')
  ok(await put(`/spaces/guide/members/${ann.id}`, { role: 'admin' }))
  const person = await inPerson(admin.base, ann.key)
  ok(await admin.post('/threads/guide/home', { body: `A question to [@Ann](/people/${ann.id})` }))
  ok(await admin.call('PUT', '/me/watches/guide'))
  ok(await ann.client.patch('/me/notification-settings', { mail: 'immediate' }))
  ok(await put('/spaces/guide/rules/hr', { read: [{ principal: ann.id }], write: 'inherit' }))
  ok(await person.post('/shares/guide/home', {}))
  ok(await person.call('PUT', '/verifications/guide/home', { json: {} }))
  ok(await person.call('PUT', '/me/unsaved/guide/home', { json: { body: 'typed' } }))
  ok(await person.post('/access-requests', { space: 'secret', note: 'Please.' }))
  const { secret } = assertStatus(await admin.post('/admin/scim/token', {}), 201).json
  const user = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'sue@example.org' }
  ok(await new Client(admin.base, secret).post('/scim/v2/Users', user))
  const spaces = [{ space: 'guide', role: 'editor' }]
  const [{ id: group }] = await admin.all('/admin/groups')
  ok(await admin.post('/admin/invitations', { email: 'lee@example.org', spaces, groups: [group] }))
  const folders = [{ space: 'guide', role: 'viewer', folder: 'hr' }]
  ok(await admin.post('/admin/invitations', { email: 'gina@example.org', guest: true, spaces: folders }))
  ok(await admin.post('/spaces/guide/change-requests', { title: 'Empty', reviewers: [ann.id] }))
  const proposal = await ann.client.put('/pages/guide/setup?changeRequest=new&title=Better', '# Setup', {
    'if-match': '"26"',
  })
  assertStatus(proposal, 202)
  const request = '/spaces/guide/change-requests/2'
  ok(await ann.client.post(`${request}/threads`, { body: 'Is it?' }))
  ok(await admin.post(`${request}/reviews`, { verdict: 'comment', body: 'So so.' }, { 'if-match': '*' }))
  ok(await admin.post(`${request}/checks`, { name: 'x', status: 'failed' }, { 'if-match': '*' }))
  // An author that an import names.
  const createdBy = { name: 'Old', kind: 'human', via: 'Scribe' }
  const revisions = [{ version: 1, createdAt: '2020-01-01T00:00:00Z', createdBy }]
  const bundle = { format: 'page-bundle', formatVersion: 1, pages: [{ path: 'imported', body: 'x', revisions }] }
  ok(await admin.post('/spaces/guide/import', bundle))
  await until(async () => (await ann.client.get('/me/notifications/count')).json.unread > 0)
}

/** Tables that the world leaves empty: of the moment, of a browser, an app or a provider, or of work that is over. */
const EMPTY = [
  ...['blob_upload', 'blob_variant', 'catalogue_fetch', 'element_indexing', 'identity', 'job', 'link_rebuild'],
  ...['mcp_session', 'mcp_subscription', 'merged_revision', 'oauth_client', 'oauth_interaction', 'oauth_token'],
  ...['passkey', 'password', 'profile_picture', 'reindexing', 'retitling', 'search_pending', 'space_language'],
  ...['space_link', 'used_challenge'],
]

async function createDatabase(): Promise<string> {
  const database = `empty_${++number}`
  const client = new pg.Client({ ...external.connection, user: SUPERUSER, ssl: false })
  await client.connect()
  await client.query(`create database ${database} owner recto template template0`)
  await client.end()
  return urlOf({ ...external.connection, database })
}

/** The digests of all tables. */
async function readTables(place: { data: string; databaseUrl: string | undefined }) {
  const copy = path('digests')
  const { manifest } = await backUpPortable(place, copy, noProgress)
  rmSync(copy)
  return manifest
}

async function readWorld(admin: Client) {
  const read = async (path: string) => assertStatus(await admin.get(path), 200).text
  // Without what each start has of its own.
  const list = async (path: string) =>
    JSON.stringify(await admin.all(path)).replaceAll(/http:\/\/127\.0\.0\.1:\d+\/thread|"lastUsedAt":"[^"]*"/g, '')
  const pages = await Promise.all(['home', 'setup', 'with-file'].map((name) => read(`/pages/guide/${name}.md`)))
  const lists = await Promise.all(
    [
      '/pages/guide/setup/versions',
      '/pages/guide/setup/metadata/history',
      '/admin/audit',
      '/admin/webhooks',
      '/admin/principals',
      '/admin/api-keys',
      '/admin/groups',
      '/admin/invitations',
      '/spaces/guide/trash',
      '/spaces/guide/links/broken',
      '/me/favourites',
      '/threads/guide/home',
      '/me/watches',
      '/files/guide/notes.txt/versions',
    ].map(list),
  )
  const redirects = await Promise.all(
    ['/pages/guide/moving', '/spaces/former'].map(async (path) => (await admin.get(path)).status),
  )
  return { pages, lists, redirects, file: (await admin.get('/files/guide/notes.txt')).text }
}

/** Reads the world with its key, and the feed with a cursor from before the move. */
async function checkWorld(
  place: { data: string; databaseUrl?: string },
  expected: object,
  name: string,
): Promise<void> {
  const env = { ...ENV, SVC_ADMIN_API_KEY: key, ...(place.databaseUrl && { SVC_DATABASE_URL: place.databaseUrl }) }
  await using recto = await startProcess({ data: place.data, env })
  const admin = new Client(recto.url, key)
  assert.deepEqual(await readWorld(admin), expected)
  assertStatus(await admin.put(`/pages/guide/${name}`, 'x'), 201)
  const seen: string[] = []
  await until(async () => {
    const { json } = assertStatus(await admin.get(`/changes?since=${cursor}&wait=1`), 200)
    for (const { page } of json.items) seen.push(page.path)
    cursor = json.nextCursor
    return seen.length > 0
  })
  assert.deepEqual(seen, [name])
}

test('from the embedded database to another server and back: every table, the API and a cursor of the feed go on', async () => {
  const first = await readTables({ data, databaseUrl: undefined })
  const emptyTables = Object.entries(first.tables).filter(([, { rows }]) => rows === 0)
  assert.deepEqual(emptyTables.map(([name]) => name).sort(), EMPTY)
  assert.ok(sumUp(first).rows > 100)
  let expected = {}
  {
    await using recto = await startProcess({ data, env: ENV })
    expected = await readWorld(new Client(recto.url, key))
  }
  const databaseUrl = await createDatabase()
  const elsewhere = path('node')
  await restorePortable({ data: elsewhere, databaseUrl }, file, noProgress)
  assert.deepEqual(await readTables({ data: elsewhere, databaseUrl }), first)
  await checkWorld({ data: elsewhere, databaseUrl }, expected, 'elsewhere')

  const second = path('backup')
  const { manifest } = await backUpPortable({ data: elsewhere, databaseUrl }, second, noProgress)
  const back = path('back')
  await restorePortable({ data: back, databaseUrl: undefined }, second, noProgress)
  assert.deepEqual((await readTables({ data: back, databaseUrl: undefined })).tables, manifest.tables)
  {
    const env = { ...ENV, SVC_ADMIN_API_KEY: key, SVC_DATABASE_URL: databaseUrl }
    await using recto = await startProcess({ data: elsewhere, env })
    expected = await readWorld(new Client(recto.url, key))
  }
  await checkWorld({ data: back }, expected, 'back')
})

/** Runs a command; kills it after so many milliseconds, if it has not ended. */
async function run(words: readonly string[], env: Readonly<Record<string, string>>, kill?: number | undefined) {
  const child = spawn(process.execPath, [join(ROOT, 'bin/recto.js'), ...words], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  if (kill !== undefined) void delay(kill, undefined, { ref: false }).then(() => child.kill('SIGKILL'))
  const began = performance.now()
  const [code] = await once(child, 'exit')
  return { code, output: (await output).join(''), ms: performance.now() - began }
}

test('a killed backup leaves no file that looks whole, and a killed restore nothing that is in the way of the next', async () => {
  const backup = path('backup')
  const whole = await run(['backup', '--portable', backup], { SVC_DATA: data })
  assert.equal(whole.code, 0, whole.output)
  const databaseUrl = await createDatabase()
  const restored = await run(['backup', 'restore', '--portable', backup, '--database-url', databaseUrl], {
    SVC_DATA: path('node'),
  })
  assert.equal(restored.code, 0, restored.output)
  for (let round = 0; round < ROUNDS; round++) {
    const other = path('backup')
    const { code } = await run(['backup', '--portable', other], { SVC_DATA: data }, Math.random() * whole.ms)
    assert.equal(existsSync(other), code === 0)

    const target = await createDatabase()
    const toServer = ['backup', 'restore', '--portable', backup, '--database-url', target]
    const node = path('node')
    const killed = await run(toServer, { SVC_DATA: node }, Math.random() * restored.ms)
    const again = await run(toServer, { SVC_DATA: node })
    assert.ok(again.code === 0 || /is not empty/.test(again.output), `${killed.code} ${again.output}`)
    await readTables({ data: node, databaseUrl: target })

    const folder = path('folder')
    const toFolder = ['backup', 'restore', '--portable', backup]
    await run(toFolder, { SVC_DATA: folder }, Math.random() * restored.ms * 1.5)
    const second = await run(toFolder, { SVC_DATA: folder })
    assert.ok(second.code === 0 || /holds a database already/.test(second.output), second.output)
    assert.ok(!readdirSync(folder).some((name) => name.startsWith('postgres.')), 'something is left')
    await checkRows(folder)
  }
})

async function checkRows(folder: string): Promise<void> {
  const [tables, expected] = [
    await readTables({ data: folder, databaseUrl: undefined }),
    await readTables({ data, databaseUrl: undefined }),
  ]
  assert.deepEqual(tables.tables, expected.tables)
}

test('a move during writes loses none, a failed one opens the database again, and a killed one with the next start', async () => {
  const env = { ...ENV, SVC_LOG_LEVEL: 'silent' }
  const folder = path('moving')
  await restorePortable({ data: folder, databaseUrl: undefined }, file, noProgress)
  let recto = await startProcess({ data: folder, env: { ...env, SVC_ADMIN_API_KEY: key } })
  let admin = new Client(recto.url, key)
  const acknowledged: string[] = []
  const statuses = new Set<number>()
  let isOver = false
  const write = async (): Promise<void> => {
    const name = `written-${acknowledged.length}`
    const answer = await admin.put(`/pages/guide/${name}`, name).catch(() => undefined)
    if (answer) statuses.add(answer.status)
    if (answer?.status === 201) acknowledged.push(name)
    if (answer?.status === 503) assert.ok(Number(answer.headers.get('retry-after')) > 0)
  }
  const writing = (async () => {
    while (!isOver) await write()
  })()
  const isWritable = async () => {
    const count = acknowledged.length
    await until(() => acknowledged.length > count, 30_000)
  }
  const move = (url: string, kill?: number) => run(['migrate-database', url], { SVC_DATA: folder }, kill)
  await isWritable()

  const full = await createDatabase()
  const occupant = new pg.Client(full)
  await occupant.connect()
  await occupant.query('create table occupied ()')
  await occupant.end()
  const rejected = await move(full)
  assert.equal(rejected.code, 69)
  assert.match(rejected.output, /is not empty: it has occupied/)
  await isWritable()

  for (let round = 0; round < ROUNDS; round++) {
    const target = await createDatabase()
    await move(target, 1_000 + Math.random() * 4_000)
    await recto[Symbol.asyncDispose]()
    recto = await startProcess({ data: folder, env: { ...env, SVC_ADMIN_API_KEY: key } })
    admin = new Client(recto.url, key)
    await isWritable()
  }

  const url = await createDatabase()
  const { code, output } = await move(url)
  assert.equal(code, 0, output)
  assert.match(output, /Writes have been closed for \d+\.\d s/)
  assertStatus(await admin.get('/pages/guide/home'), 200)
  isOver = true
  await writing
  assertStatus(await admin.put('/pages/guide/late', 'x'), 503)
  await recto[Symbol.asyncDispose]()
  await assert.rejects(startProcess({ data: folder, env }), /was moved to .*: set SVC_DATABASE_URL/)
  await using moved = await startProcess({
    data: folder,
    env: { ...env, SVC_DATABASE_URL: url, SVC_ADMIN_API_KEY: key },
  })
  const reader = new Client(moved.url, key)
  for (const name of acknowledged) assert.equal((await reader.get(`/pages/guide/${name}.md`)).text.trim(), name)
  assert.ok(
    statuses.has(201) && [...statuses].every((status) => [201, 409, 412, 503].includes(status)),
    `${[...statuses]}`,
  )
})
