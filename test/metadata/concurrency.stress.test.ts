import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, type Client } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { fc } from '../support/property.ts'

let nodes: Nodes
let pages = 0
before(async () => {
  // The limit on a value is raised, so that a key holds as many elements as are appended here.
  nodes = await startNodes({ SVC_MAX_METADATA_VALUE_BYTES: '4194304', SVC_RATE_LIMIT: '0' })
  await nodes.admins[0].space('docs')
  // Each node knows the key before many use it at once.
  assertStatus(await nodes.admins[1].get('/me'), 200)
})
after(() => nodes[Symbol.asyncDispose]())

async function newPage(): Promise<string> {
  const path = `/pages/docs/page-${++pages}`
  assertStatus(await nodes.admins[0].put(path, '# Page'), 201)
  return `${path}/metadata`
}

/** Runs jobs by so many clients at once, each its own one after another, on both nodes by turns. */
async function byClients(clients: number, jobs: number, job: (client: Client, n: number) => Promise<unknown>) {
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let turn = 0; turn < jobs; turn++) {
        await job(nodes.admins[client % 2 === 0 ? 0 : 1], client * jobs + turn)
      }
    }),
  )
}

test('64 clients on two nodes append a thousand elements to one key, and none is lost', async () => {
  const metadata = await newPage()
  // Set it to 100 for 64,000 elements, which takes minutes.
  const size = Number(process.env.ELEMENTS ?? 2)
  const elements = (n: number) => Array.from({ length: size }, (_, index) => n * size + index)
  await byClients(64, 10, async (client, n) => {
    assertStatus(await client.patch(metadata, { append: { log: elements(n) } }), 200)
  })
  const { log } = (await nodes.admins[1].get(metadata)).json.metadata
  assert.equal(log.length, 640 * size)
  assert.equal(new Set(log).size, 640 * size)
  // What one client appended at once stands together.
  for (let at = 0; at < log.length; at += size) {
    assert.deepEqual(log.slice(at, at + size), elements(log[at] / size))
  }
  const { rows } = await nodes.query(
    `select count(*)::int as events, max(seq) as last from metadata_event where key = 'log'`,
  )
  assert.deepEqual(rows, [{ events: 640, last: 640 }])
})

test('single elements appended by many clients are all stored, each with its own audit event', async () => {
  const metadata = await newPage()
  await byClients(32, 10, async (client, n) => {
    assertStatus(await client.patch(metadata, { append: { log: n }, set: { last: n } }), 200)
  })
  const values = (await nodes.admins[0].get(metadata)).json.metadata
  assert.deepEqual(
    [...values.log].sort((a, b) => a - b),
    Array.from({ length: 320 }, (_, n) => n),
  )
  const events = await nodes.admins[0].all(`${metadata}/history?limit=200`)
  assert.equal(events.length, 640)
  // The audit is one chain: each event begins where the one before it ended.
  for (const key of ['log', 'last']) {
    const chain = events.filter((event) => event.key === key).reverse()
    let value = null
    for (const event of chain) {
      assert.deepEqual(event.previousValue, value)
      value = event.value
    }
    assert.deepEqual(value, values[key])
  }
})

test('repeated appendUnique of many clients stores each element once', async () => {
  const metadata = await newPage()
  for (let run = 0; run < 3; run++) {
    await byClients(32, 5, async (client, n) => {
      const answer = await client.patch(metadata, { appendUnique: { tags: [`t${n % 80}`, `t${(n + 40) % 80}`] } })
      assertStatus(answer, 200)
    })
    const { tags } = (await nodes.admins[0].get(metadata)).json.metadata
    assert.equal(tags.length, 80)
    assert.equal(new Set(tags).size, 80)
  }
})

interface Patch {
  readonly set?: Readonly<Record<string, unknown>>
  readonly append?: Readonly<Record<string, unknown>>
  readonly appendUnique?: Readonly<Record<string, unknown>>
}

const KEYS = ['a', 'b', '__proto__']
const operand = () =>
  fc.oneof(fc.integer({ min: 0, max: 3 }), fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }))

/** A patch of each key by one member at most. */
function anyPatch(): fc.Arbitrary<Patch> {
  const ofKey = (key: string) =>
    fc.oneof(
      fc.constant(undefined),
      fc.tuple(fc.constantFrom('set', 'append', 'appendUnique'), fc.constant(key), operand()),
      fc.tuple(fc.constant('set'), fc.constant(key), fc.constantFrom(null, 'text', [])),
    )
  return fc
    .tuple(...KEYS.map(ofKey))
    .map((parts) => parts.filter((part) => part !== undefined))
    .filter((parts) => parts.length > 0)
    .map((parts) =>
      Object.fromEntries(
        ['set', 'append', 'appendUnique'].map((member) => [
          member,
          Object.fromEntries(parts.filter((part) => part[0] === member).map((part) => part.slice(1))),
        ]),
      ),
    )
}

/** The reference: what a patch makes of the values, or undefined when it is rejected. */
function fold(values: ReadonlyMap<string, unknown>, patch: Patch): Map<string, unknown> | undefined {
  const result = new Map(values)
  for (const [key, value] of Object.entries(patch.set ?? {})) {
    if (value === null) result.delete(key)
    else result.set(key, value)
  }
  for (const member of ['append', 'appendUnique'] as const) {
    for (const [key, given] of Object.entries(patch[member] ?? {})) {
      const array = values.get(key) ?? []
      if (!Array.isArray(array)) return undefined
      const next = [...array]
      for (const element of Array.isArray(given) ? given : [given]) {
        if (member === 'append' || !next.includes(element)) next.push(element)
      }
      result.set(key, next)
    }
  }
  return result
}

test('any sequence of patches equals the fold of a model', async () => {
  const property = fc.asyncProperty(fc.array(anyPatch(), { minLength: 1, maxLength: 12 }), async (patches) => {
    const metadata = await newPage()
    let values: ReadonlyMap<string, unknown> = new Map()
    for (const [index, patch] of patches.entries()) {
      const answer = await nodes.admins[index % 2 === 0 ? 0 : 1].patch(metadata, patch)
      const next = fold(values, patch)
      assert.equal(answer.status, next ? 200 : 400)
      values = next ?? values
      const now = (await nodes.admins[0].get(metadata)).json.metadata
      assert.deepEqual(new Map(Object.entries(now)), new Map([...values].sort()))
    }
  })
  await fc.assert(property, { numRuns: 25 })
})

test('concurrent patches equal the fold of a model in the order of the audit events', async () => {
  const property = fc.asyncProperty(fc.array(anyPatch(), { minLength: 2, maxLength: 24 }), async (patches) => {
    const metadata = await newPage()
    const answers = await Promise.all(
      patches.map((patch, index) => nodes.admins[index % 2 === 0 ? 0 : 1].patch(metadata, patch)),
    )
    const space = (await nodes.query(`select id from space where slug = 'docs'`)).rows[0].id
    const path = metadata.slice('/pages/docs/'.length, -'/metadata'.length)
    const { rows } = await nodes.query(
      `select e.patch_id, min(e.seq) as first, max(e.seq) as last, count(*)::int as events
       from metadata_event e join page p on p.space_id = e.space_id and p.id = e.page_id
       where p.space_id = $1 and p.path = $2 group by e.patch_id order by 2`,
      [space, path],
    )
    // No patch comes between the events of another one.
    for (const row of rows) assert.equal(row.last - row.first + 1, row.events)
    const events = (await nodes.admins[0].all(`${metadata}/history?limit=200`)).reverse()
    const values = new Map<string, unknown>()
    for (const event of events) {
      assert.deepEqual(event.previousValue, values.get(event.key) ?? null)
      assert.equal(event.existed, values.has(event.key))
      if (event.op === 'delete') values.delete(event.key)
      else values.set(event.key, event.value)
    }
    const now = (await nodes.admins[0].get(metadata)).json.metadata
    assert.deepEqual(new Map(Object.entries(now)), new Map([...values].sort()))
    for (const answer of answers) assert.ok([200, 400].includes(answer.status), answer.text)
  })
  await fc.assert(property, { numRuns: 25 })
})

test('key counts are exact after all these patches', async () => {
  const { rows } = await nodes.query(`
    select key, sum(strings + numbers + booleans + arrays + objects)::int as kept,
      (select count(*)::int from page_metadata where doc ? key) as counted
    from metadata_key group by key`)
  assert.ok(rows.length >= 3)
  for (const { key, kept, counted } of rows) assert.equal(kept, counted, key)
  const entries = await nodes.query(`
    select count(*)::int as wrong from (
      (select space_id, page_id, key from page_metadata, jsonb_object_keys(doc) as k (key))
      except all
      (select space_id, page_id, convert_from(substring(rank for position('\\x00'::bytea in rank) - 1), 'UTF8') from metadata_entry)
    ) as d`)
  assert.equal(entries.rows[0].wrong, 0)
  const both = await nodes.query(`select (select count(*) from metadata_entry) =
    (select count(*) from page_metadata, jsonb_object_keys(doc)) as same`)
  assert.equal(both.rows[0].same, true)
})
