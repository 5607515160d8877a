import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { type Answer, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson, type Person } from '../support/people.ts'
import { ROOT } from '../support/process.ts'
import { tool } from './route-rules/rule.ts'

// Every kind of work that takes longer than one transaction loses a right in the middle, on another node. Answers that
// only read, such as streams, exports and downloads, are in lost-rights.stress.test.ts; a rebuild of links derives what
// every write derives, and is asked for by migrations as well: it shows its starter nothing, who is asked again while
// waiting for its end.

let nodes: Nodes
let admin: Client
let other: Client
let count = 0

before(async () => {
  nodes = await startNodes()
  ;[admin, other] = nodes.admins
  await admin.space('model')
  const pages = Array.from({ length: 401 }, (_, n) => ({ path: `p${n}`, body: `# P ${n}` }))
  assertStatus(await admin.post('/spaces/model/import', bundle(pages)), 200)
  assertStatus(await admin.post('/space-templates/org', { space: 'model' }), 201)
})
after(() => nodes[Symbol.asyncDispose]())

interface Loss {
  readonly status: number
  readonly lose: (person: Person, space: string, rules: readonly string[]) => Promise<unknown>
}

const SEES_ALL: Readonly<Record<string, Loss>> = {
  'is disabled': {
    status: 401,
    lose: async ({ id }) => assertStatus(await other.patch(`/admin/principals/${id}`, { disabled: true }), 200),
  },
  'has its key revoked': {
    status: 401,
    lose: async ({ keyId }) => assertStatus(await other.delete(`/admin/api-keys/${keyId}`), 204),
  },
  'has the scope of its key reduced': {
    status: 403,
    lose: ({ keyId }) => nodes.query(`update api_key set scopes = '{read}' where id = $1`, [keyId]),
  },
}
const LOSSES: Readonly<Record<string, Loss>> = {
  ...SEES_ALL,
  'is removed from the members': {
    status: 404,
    lose: async ({ id }, space) => assertStatus(await other.delete(`/spaces/${space}/members/${id}`), 204),
  },
  'becomes a viewer': {
    status: 403,
    lose: async ({ id }, space) =>
      assertStatus(await other.call('PUT', `/spaces/${space}/members/${id}`, { json: { role: 'viewer' } }), 200),
  },
}

const setRules = async (space: string, prefixes: readonly string[], json: object) => {
  for (const prefix of prefixes)
    assertStatus(await other.call('PUT', `/spaces/${space}/rules/${prefix}`, { json }), 201)
}
const BY_RULES: Readonly<Record<string, Loss>> = {
  'reads its places no more by a rule': {
    status: 404,
    lose: (_, space, rules) => setRules(space, rules, { read: [], write: 'inherit' }),
  },
  'only reads its places by a rule': {
    status: 403,
    lose: (_, space, rules) => setRules(space, rules, { read: 'inherit', write: [] }),
  },
}

interface Work {
  readonly losses?: Readonly<Record<string, Loss>>
  /** The folders where a rule ends it. */
  readonly rules?: readonly string[]
  /** The statement of another transaction for which the work waits in its middle. */
  readonly hold: string
  /** How many pages are there when it waits; undefined: as many as before. */
  readonly heldAt?: number
  readonly send: (client: Client, space: string) => Promise<Answer>
  readonly check: (answer: Answer, loss: Loss, space: string) => Promise<void> | void
}

const pathsOf = (prefix: string, n: number) => Array.from({ length: n }, (_, index) => `${prefix}${index}`)
const bundle = (pages: readonly object[]) => ({ format: 'page-bundle', formatVersion: 1, pages })
const newPages = (n: number) => bundle(pathsOf('n', n).map((path) => ({ path, body: `# ${path}` })))
const lockPage = (path: string) =>
  `select from page where space_id = $1 and path = '${path}' and deleted_at is null for update`
const newAddress = (path: string) => `insert into page_address (space_id, path) values ($1, '${path}')`

const WORKS: Readonly<Record<string, Work>> = {
  'an import': {
    hold: newAddress('n100'),
    rules: ['n150'],
    heldAt: 110,
    send: (client, space) => client.post(`/spaces/${space}/import`, newPages(400)),
    async check(answer, { status }, space) {
      assertStatus(answer, status)
      assert.match(answer.json.detail, /The import ended after 150 of 400 pages and files, which are kept\.$/)
      assert.deepEqual([answer.json.done, answer.json.total], [150, 400])
      // The batch that waited had begun.
      assert.equal(await countPages(space), 160)
    },
  },
  'an import that overwrites': {
    rules: ['f/p7'],
    hold: lockPage('f/p3'),
    send: (client, space) =>
      client.post(
        `/spaces/${space}/import?onConflict=overwrite`,
        bundle(pathsOf('f/p', 10).map((path) => ({ path, body: 'overwritten' }))),
      ),
    async check(answer, { status }, space) {
      assertStatus(answer, status)
      assert.equal((await admin.get(`/pages/${space}/f/p2.md`)).text, 'overwritten')
      for (const n of [4, 9]) assert.equal((await admin.get(`/pages/${space}/f/p${n}.md`)).text, 'old text')
    },
  },
  'a folder move': {
    rules: ['f'],
    hold: lockPage('f/p3'),
    send: (client, space) => client.post(`/spaces/${space}/move-folder`, { path: 'f', to: { path: 'g' } }),
    async check(answer, { status }, space) {
      assertStatus(answer, status)
      // Where nothing of the folder can be read any more, there is none.
      assert.match(answer.json.detail, /Nothing was moved\.$|^There is no folder `f`/)
      assertStatus(await admin.get(`/pages/${space}/f/p0`), 200)
    },
  },
  'a deletion of a folder': {
    rules: ['f'],
    hold: lockPage('f/p3'),
    send: (client, space) => client.post(`/spaces/${space}/delete-folder`, { path: 'f' }),
    async check(answer, { status }, space) {
      assertStatus(answer, status)
      assertStatus(await admin.get(`/pages/${space}/f/p0`), 200)
    },
  },
  'a batch of pages': {
    hold: newAddress('n3'),
    rules: ['n4', 'n5'],
    send: (client, space) =>
      client.post('/pages/batch', {
        operations: pathsOf('n', 6).map((path) => ({ op: 'put', space, path, body: 'new' })),
      }),
    check: ({ json }) => assertLastRefused(json.items.map(({ status }: { status: number }) => status)),
  },
  'a batch of metadata': {
    rules: ['f'],
    hold: `select from page_metadata join page on page.space_id = page_metadata.space_id and page.id = page_metadata.page_id
      where page.space_id = $1 and page.path = 'f/p3' for update of page_metadata`,
    send: (client, space) =>
      client.post('/metadata/batch', {
        pages: pathsOf('f/p', 6).map((path) => ({ space, path })),
        set: { key: 'new' },
      }),
    check: ({ json }) => assertLastRefused(json.items.map(({ status }: { status: number }) => status)),
  },
  'a replacement in a space by an agent': {
    rules: ['f'],
    hold: lockPage('f/p3'),
    send: (client, space) =>
      client.call('POST', '/mcp', tool('context_replace_text', () => ({ space, find: 'old', replace: 'new' }))(PLACE)),
    async check(_answer, _loss, space) {
      assert.equal((await admin.get(`/pages/${space}/f/p2.md`)).text, 'new text')
      for (const n of [4, 9]) assert.equal((await admin.get(`/pages/${space}/f/p${n}.md`)).text, 'old text')
    },
  },
  'a space from a template': {
    losses: SEES_ALL,
    hold: 'lock table page_address in share mode',
    send: (client, space) => client.post('/space-templates/org/model/spaces', { slug: `${space}-copy` }),
    async check(answer, { status }, space) {
      assertStatus(answer, status)
      assertStatus(await admin.get(`/spaces/${space}-copy`), 404)
    },
  },
}
const PLACE = { slug: '', marker: '' }

/** The first items were written, and the last are refused. */
function assertLastRefused(statuses: readonly number[]): void {
  assert.ok(
    statuses.slice(0, 3).every((status) => status < 300),
    `${statuses}`,
  )
  assert.ok(
    statuses.slice(4).every((status) => status > 400 && status < 405),
    `${statuses}`,
  )
}

async function countPages(space: string): Promise<number> {
  const { rows } = await nodes.query(
    'select count(*)::int from page where deleted_at is null and space_id = (select id from space where slug = $1)',
    [space],
  )
  return rows[0].count
}

for (const [what, { losses = LOSSES, rules = [], hold, heldAt, send, check }] of Object.entries(WORKS)) {
  for (const [name, loss] of Object.entries({ ...losses, ...(rules.length > 0 && BY_RULES) })) {
    test(`${what} ends with its next batch when its caller ${name}`, async () => {
      const space = `s${++count}`
      await admin.space(space, { visibility: 'private' })
      const old = pathsOf('f/p', 10).map((path) => ({ path, body: 'old text', metadata: { key: 'old' } }))
      assertStatus(await admin.post(`/spaces/${space}/import`, bundle(old)), 200)
      const person = await newPerson(admin, `Person ${count}`)
      const member = { json: { role: 'editor' } }
      assertStatus(await admin.call('PUT', `/spaces/${space}/members/${person.id}`, member), 201)

      await using holder = await begin()
      const { rows } = await nodes.query('select id from space where slug = $1', [space])
      await holder.query(hold, hold.includes('$1') ? [rows[0].id] : [])
      const answer = send(person.client, space)
      await until(async () => (await countWaiting()) > 0 && (await countPages(space)) >= (heldAt ?? 0))
      await loss.lose(person, space, rules)
      await holder.query('rollback')
      await check(await answer, loss, space)
    })
  }
}

test('an upload ends while its bytes arrive when its sender is disabled', async () => {
  const person = await newPerson(admin, 'Uploads')
  await admin.space('uploads', { visibility: 'private' })
  const member = { json: { role: 'editor' } }
  assertStatus(await admin.call('PUT', `/spaces/uploads/members/${person.id}`, member), 201)
  let ended = false
  const body = new ReadableStream({
    async pull(controller) {
      if (ended) return controller.close()
      controller.enqueue(Buffer.alloc(1024))
      await new Promise((resolve) => setImmediate(resolve))
    },
  })
  const headers = { authorization: `Bearer ${person.key}`, 'content-type': 'application/octet-stream' }
  const init = { method: 'PUT', headers, body, duplex: 'half' } as RequestInit
  const answer = fetch(`${admin.base}/files/uploads/endless.bin`, init).finally(() => {
    ended = true
  })
  await until(async () => (await nodes.query('select from blob_chunk limit 1')).rows.length > 0)
  assertStatus(await other.patch(`/admin/principals/${person.id}`, { disabled: true }), 200)
  assert.equal((await answer).status, 401)
})

test('every file whose work takes long is in this table, or reads only', () => {
  const pattern = 'withLongStatements\\(|withNeededRoles\\('
  const files = execFileSync('grep', ['-rlE', pattern, 'packages', '--include=*.ts'], { cwd: ROOT, encoding: 'utf8' })
  assert.deepEqual(files.trim().split('\n').sort(), [
    // One transaction, which asks when it begins.
    'packages/server/src/content/change-requests/merge.ts',
    // Bytes of files: each blob is one transaction of the request, as an item of a batch is.
    'packages/server/src/content/files/blobs/migrate.ts',
    'packages/server/src/content/lifecycle/batch-write.ts',
    'packages/server/src/content/lifecycle/delete-folder.ts',
    'packages/server/src/content/lifecycle/move-file.ts',
    'packages/server/src/content/lifecycle/move.ts',
    // A rebuild: see above.
    'packages/server/src/content/links/rebuilder.ts',
    'packages/server/src/content/metadata/batch.ts',
    // One statement for each table, in one transaction that asks when it begins.
    'packages/server/src/content/spaces/delete.ts',
    'packages/server/src/content/templates/create-space.ts',
    'packages/server/src/content/templates/transfer/import.ts',
    'packages/server/src/interfaces/mcp/tools/replace-text.ts',
  ])
})

async function begin(): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client(nodes.connection)
  await client.connect()
  await client.query('begin')
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

async function countWaiting(): Promise<number> {
  const { rows } = await nodes.query(
    `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows[0].count
}
