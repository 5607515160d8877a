import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { readInbox } from '../support/inbox.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson } from '../support/people.ts'

let nodes: Nodes
before(async () => {
  nodes = await startNodes()
})
after(() => nodes?.[Symbol.asyncDispose]())

test('each event is told once, by two nodes, whose followers die between what they read and what they write', async () => {
  const [admin, other] = nodes.admins
  const { client } = await newPerson(admin, 'Ann')
  await admin.space('docs')
  await admin.write('docs/plan', '0\n')
  await admin.write('docs/other', '0\n')
  assertStatus(await client.call('PUT', '/me/watches/docs'), 204)
  // Slow enough to be hit; the lease changes hands at once.
  await nodes.query(
    `create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(0.03); return new; end'`,
  )
  await nodes.query('create trigger slow before insert or update on notification for each row execute function slow()')
  let kills = 0
  let isWriting = true
  const killing = (async () => {
    while (isWriting || kills < 5) {
      const { rowCount } = await nodes.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where state = 'active' and wait_event = 'PgSleep' and random() < 0.5`,
      )
      kills += rowCount ?? 0
      await nodes.query(`delete from lease where name = 'inbox' and random() < 0.3`)
      await nodes.query('select pg_sleep(0.02)')
      if (!isWriting) break
    }
  })()
  const WRITES = 60
  for (let n = 1; n <= WRITES; n++) {
    await admin.write('docs/plan', `${n}\n`)
    await other.write('docs/other', `${n}\n`)
  }
  isWriting = false
  await killing
  const expected = ['docs/other', 'docs/plan'].map((page) => `${page}: watching page.updated ${WRITES} Admin`)
  await until(async () => (await readInbox(client)).every((line) => line.includes(` ${WRITES} `)), 30_000).catch(
    () => {},
  )
  assert.deepEqual((await readInbox(client)).sort(), expected)
  assert.ok(kills > 0, 'no follower was killed')
})
