import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Backlog } from '@recto/lib/concurrency/backlog.ts'
import { KeyedQueue } from '@recto/lib/concurrency/keyed-queue.ts'
import type pg from 'pg'
import type { Caller } from '../../packages/server/src/access/caller.ts'
import { type MetadataCtx, patchMetadata } from '../../packages/server/src/content/metadata/metadata.ts'
import { parsePatch } from '../../packages/server/src/content/metadata/parse-patch.ts'
import { createPool } from '../../packages/server/src/platform/database/connections/pool.ts'
import { DatabaseServer } from '../../packages/server/src/platform/database/connections/server.ts'
import { createDb } from '../../packages/server/src/platform/database/database.ts'
import { assertStatus } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'

let nodes: Nodes
before(async () => {
  nodes = await startNodes()
  await nodes.admins[0].space('docs')
  assertStatus(await nodes.admins[0].put('/pages/docs/page', '# Page'), 201)
})
after(() => nodes[Symbol.asyncDispose]())

/** A context whose connection is lost around its first commit: after it was done, or before. */
function contextWith(
  actor: Caller,
  loss: 'after' | 'before',
): MetadataCtx & AsyncDisposable & { readonly wasLost: () => boolean } {
  const pool = createPool({ server: new DatabaseServer(nodes.connection), size: 1, prepared: true, onError: () => {} })
  let lost = false
  const lose = (connection: pg.Connection) => {
    lost = true
    connection.stream.destroy()
  }
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    const lossy = (...args: unknown[]) => {
      const [batch] = args
      if (!lost && isBatch(batch)) loseCommit(batch, loss, lose)
      return query(...args)
    }
    Object.assign(client, { query: lossy })
  })
  return {
    db: createDb(pool),
    actor,
    now: () => new Date(),
    pages: { writers: new KeyedQueue({ maxWaiting: 10 }), unindexed: new Backlog() } satisfies MetadataCtx['pages'],
    config: { maxMetadataValueBytes: 65_536, publicUrl: 'http://localhost' },
    events: { wakeDeliveries() {}, wakeReaders() {}, pagesAdded() {} },
    wasLost: () => lost,
    [Symbol.asyncDispose]: () => pool.end(),
  } as unknown as ReturnType<typeof contextWith> // all that a patch uses
}

/** What the driver sends in one round trip: `begin` and the commit are among its statements. */
interface Batch {
  submit(connection: pg.Connection): void
  handleCommandComplete(message: { readonly text: string }, connection: pg.Connection): void
}

function isBatch(query: unknown): query is Batch {
  return typeof query === 'object' && query !== null && 'submit' in query && 'handleCommandComplete' in query
}

/** Closes the connection instead of sending the commit of a batch, or when its answer arrives. */
function loseCommit(batch: Batch, loss: 'after' | 'before', lose: (connection: pg.Connection) => void): void {
  const submit = batch.submit.bind(batch)
  const complete = batch.handleCommandComplete.bind(batch)
  Object.assign(batch, {
    submit(connection: pg.Connection & { bind(config: { readonly statement: string }): void }) {
      if (loss === 'after') return submit(connection)
      const bind = (config: { readonly statement: string }) =>
        config.statement === 'commit' ? lose(connection) : connection.bind(config)
      submit(Object.create(connection, { bind: { value: bind } }))
    },
    handleCommandComplete(message: { readonly text: string }, connection: pg.Connection) {
      if (message.text === 'COMMIT' && loss === 'after') lose(connection)
      else complete(message, connection)
    },
  })
}

test('an append whose COMMIT response is lost is applied once, whether or not it was committed', async () => {
  const me = (await nodes.admins[0].get('/me')).json
  const actor: Caller = {
    ...{ id: me.id, name: me.name, kind: me.kind },
    orgRole: 'admin',
    guest: false,
    scope: 'admin',
    spaceIds: null,
    personal: true,
    keyId: null,
  }
  // The first patch locks the document that it makes, later ones compare and swap.
  for (const [loss, element] of [
    ['after', 1],
    ['before', 2],
    ['after', 3],
    ['before', 4],
  ] as const) {
    await using ctx = contextWith(actor, loss)
    const operations = parsePatch({ append: { log: element }, set: { last: element } })
    const answer = await patchMetadata(ctx, { space: 'docs', path: 'page', operations })
    assert.equal(answer.metadata.last, element)
    assert.deepEqual(answer.metadata.log, [1, 2, 3, 4].slice(0, element))
    assert.ok(ctx.wasLost())
  }
  const { metadata } = (await nodes.admins[0].get('/pages/docs/page/metadata')).json
  assert.deepEqual(metadata, { log: [1, 2, 3, 4], last: 4 })
  assert.equal((await nodes.admins[0].all('/pages/docs/page/metadata/history')).length, 8)
  const { rows } = await nodes.query(`select count(*)::int as told from event where kind = 'page.metadata.updated'`)
  assert.deepEqual(rows, [{ told: 4 }])
})
