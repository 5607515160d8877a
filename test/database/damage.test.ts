import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertProblem, assertStatus } from '../support/client.ts'
import { startNodes } from '../support/nodes.ts'

test('what PostgreSQL finds damaged is 500 storage_damaged, counted and told to operators, and the rest is served', async () => {
  await using nodes = await startNodes()
  const [admin] = nodes.admins
  await admin.space('docs')
  await admin.write('docs/well', 'Well.\n')
  await admin.write('docs/damaged', 'Damaged.\n')
  // As PostgreSQL reports a block whose checksum is wrong.
  await nodes.query(`create function find_damage() returns trigger language plpgsql as $$ begin
    raise exception 'invalid page in block 7 of relation "base/5/16384"' using errcode = 'data_corrupted'; end $$`)
  await nodes.query(`create trigger damage before update on page for each row when (old.path = 'damaged')
    execute function find_damage()`)
  const answer = await admin.put('/pages/docs/damaged', 'New.\n', { 'if-match': '*' })
  assertProblem(answer, 500, 'storage_damaged')
  assert.doesNotMatch(answer.text, /block|base/)
  // Of a batch it is no item, so that its place is in the log, as that of every fault.
  const operations = [{ op: 'put', space: 'docs', path: 'damaged', body: 'New.\n', ifMatch: '*' }]
  assertProblem(await admin.post('/pages/batch', { operations }), 500, 'storage_damaged')
  assertStatus(await admin.put('/pages/docs/well', 'New.\n', { 'if-match': '*' }), 200)
  // The node stays ready, and says it to operators.
  assert.match(assertStatus(await admin.get('/readyz'), 200).json.detail, /found damaged storage/)
  assert.match((await admin.get('/metrics')).text, /^recto_database_damage_total [1-9]/m)
  const [, other] = nodes.admins
  assert.deepEqual(assertStatus(await other.get('/readyz'), 200).json, { status: 'ready' })
})
