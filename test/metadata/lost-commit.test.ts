import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Caller } from '../../src/access/caller.ts'
import { createPool } from '../../src/database/connections/pool.ts'
import { DatabaseServer } from '../../src/database/connections/server.ts'
import { createDb } from '../../src/database/database.ts'
import { Backlog } from '../../src/lib/concurrency/backlog.ts'
import { KeyedQueue } from '../../src/lib/concurrency/keyed-queue.ts'
import type { MetadataCtx } from '../../src/metadata/ctx.ts'
import { patchMetadata } from '../../src/metadata/metadata.ts'
import { parsePatch } from '../../src/metadata/parse-patch.ts'
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
function contextWith(actor: Caller, loss: 'after' | 'before'): MetadataCtx & AsyncDisposable {
  const pool = createPool({
    server: new DatabaseServer(nodes.connection),
    size: 1,
    prepared: true,
    onError: () => {},
  })
  let lost = false
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>
    const lossy = async (...args: unknown[]) => {
      if (args[0] !== 'commit' || lost) return query(...args)
      lost = true
      await query(loss === 'after' ? 'commit' : 'rollback')
      throw new Error('Connection terminated unexpectedly')
    }
    Object.assign(client, { query: lossy })
  })
  return {
    db: createDb(pool),
    actor,
    now: () => new Date(),
    pages: {
      writers: new KeyedQueue({ maxWaiting: 10 }),
      unindexed: new Backlog(),
    } satisfies MetadataCtx['pages'],
    config: { maxMetadataValueBytes: 65_536, publicUrl: 'http://localhost' },
    events: { wakeDeliveries() {}, wakeReaders() {} },
    [Symbol.asyncDispose]: () => pool.end(),
  } as unknown as MetadataCtx & AsyncDisposable // all that a patch uses
}

test('an append whose COMMIT response is lost is applied once, whether or not it was committed', async () => {
  const me = (await nodes.admins[0].get('/me')).json
  const actor: Caller = {
    ...{ id: me.id, name: me.name, kind: me.kind },
    orgRole: 'admin',
    scope: 'admin',
    spaceIds: null,
    keyId: null,
  }
  for (const [loss, element] of [
    ['after', 1],
    ['before', 2],
  ] as const) {
    await using ctx = contextWith(actor, loss)
    const operations = parsePatch({ append: { log: element }, set: { last: element } })
    const answer = await patchMetadata(ctx, { space: 'docs', path: 'page', operations })
    assert.equal(answer.metadata.last, element)
    assert.deepEqual(answer.metadata.log, element === 1 ? [1] : [1, 2])
  }
  const { metadata } = (await nodes.admins[0].get('/pages/docs/page/metadata')).json
  assert.deepEqual(metadata, { log: [1, 2], last: 2 })
  assert.equal((await nodes.admins[0].all('/pages/docs/page/metadata/history')).length, 4)
  const { rows } = await nodes.query(
    `select count(*)::int as told from event where kind = 'page.metadata.updated'`,
  )
  assert.deepEqual(rows, [{ told: 2 }])
})
