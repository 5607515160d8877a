import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connectAgent, textOf } from '../support/agent.ts'
import { assertProblem, assertStatus, type Client, redirectOf } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

// Decisions, section 3: writes at an address that redirects.
let service: Service
let admin: Client
before(async () => {
  service = await startService()
  admin = service.admin
  await admin.space('docs')
  await admin.space('vault', { visibility: 'private' })
})
after(() => service[Symbol.asyncDispose]())

const ANY = { 'if-match': '*' }
const CREATE = { 'if-none-match': '*' }

async function moved(path: string, to: object): Promise<void> {
  assertStatus(await admin.put(`/pages/docs/${path}`, `# ${path}`), 201)
  assertStatus(await admin.post(`/pages/docs/${path}/move`, { to }, ANY), 200)
}

const addressOf = ({ space, path }: { space: string; path: string }) => `${space}/${path}`

test('a conditional write at the former address of a page is rejected with the new one, and changes nothing', async () => {
  await moved('stale', { path: 'fresh' })
  const edits = { edits: [{ op: 'append', text: 'x' }] }
  for (const headers of [{ 'if-match': '"1"' }, ANY, CREATE]) {
    const { json } = assertProblem(
      await admin.put('/pages/docs/stale', 'fork', headers),
      412,
      'precondition_failed',
    )
    assert.equal(addressOf(json.movedTo), 'docs/fresh')
    assert.equal(json.movedTo.url, `${admin.base}/pages/docs/fresh`)
    assert.doesNotMatch(json.detail, /leave out|If-Match/)
  }
  const operations = [{ op: 'put', space: 'docs', path: 'stale', body: 'fork', ifMatch: '"1"' }]
  const [item] = assertStatus(await admin.post('/pages/batch', { operations }), 200).json.items
  assert.deepEqual([item.status, addressOf(item.error.movedTo)], [412, 'docs/fresh'])
  assert.equal(
    assertProblem(
      await admin.call('PATCH', '/pages/docs/stale', { json: edits, headers: ANY }),
      404,
      'not_found',
    ).json.movedTo.path,
    'fresh',
  )
  assert.equal(redirectOf(await admin.get('/pages/docs/stale')), '/pages/docs/fresh')
  assert.equal((await admin.get('/pages/docs/fresh/versions')).json.items.length, 1)
})

test('a write without conditions at the former address makes a page, and names the redirect that it ends', async () => {
  await moved('taken', { path: 'kept' })
  const made = assertStatus(await admin.put('/pages/docs/taken', '# New'), 201)
  assert.deepEqual(made.json.redirectEnded, { space: 'docs', path: 'kept' })
  assert.equal(made.json.version, 2)
  const again = assertStatus(await admin.put('/pages/docs/taken', '# New 2', { 'if-match': '"2"' }), 200)
  assert.equal(again.json.redirectEnded, undefined)
  await moved('batched', { path: 'beside' })
  const operations = [{ op: 'put', space: 'docs', path: 'batched', body: 'x' }]
  const [item] = assertStatus(await admin.post('/pages/batch', { operations }), 200).json.items
  assert.deepEqual(item.page.redirectEnded, { space: 'docs', path: 'beside' })
  // Nothing redirects here.
  for (const path of ['plain', 'gone']) {
    const plain = assertStatus(await admin.put(`/pages/docs/${path}`, 'x', CREATE), 201)
    assert.equal(plain.json.redirectEnded, undefined)
  }
  assertStatus(await admin.delete('/pages/docs/gone', ANY), 204)
  assert.equal(
    assertStatus(await admin.put('/pages/docs/gone', 'x', CREATE), 201).json.redirectEnded,
    undefined,
  )
})

test('a redirect to a space that the writer cannot read is no redirect for them', async () => {
  const { id, client } = await newPerson(admin, 'Writer')
  assertStatus(await admin.call('PUT', `/spaces/docs/members/${id}`, { json: { role: 'editor' } }), 201)
  await moved('secret', { space: 'vault', path: 'plan' })
  const stale = assertProblem(
    await client.put('/pages/docs/secret', 'x', { 'if-match': '"1"' }),
    412,
    'precondition_failed',
  )
  assert.equal(stale.json.movedTo, undefined)
  assert.doesNotMatch(stale.json.detail, /leave out/)
  assert.doesNotMatch(
    assertStatus(await client.put('/pages/docs/secret', 'x', CREATE), 201).text,
    /vault|plan/,
  )
})

test('screens and agents end no redirect unless they are asked to', async () => {
  await moved('screens', { path: 'shown' })
  await using agent = await connectAgent(admin.base, admin.key)
  for (const version of [undefined, 1]) {
    const call = { space: 'docs', path: 'screens', body: 'fork', ...(version && { version }) }
    const text = textOf(await agent.call('context_write_page', call))
    assert.match(text, /precondition_failed: The page is now docs\/shown\./)
  }
  assert.equal(redirectOf(await admin.get('/pages/docs/screens')), '/pages/docs/shown')
})

test('a stale upload at the former address of a file is rejected with the new one', async () => {
  assertStatus(await admin.call('PUT', '/files/docs/a.txt', { body: 'a', headers: CREATE }), 201)
  assertStatus(await admin.post('/files/docs/a.txt/move', { to: { path: 'b.txt' } }, ANY), 200)
  for (const headers of [{ 'if-match': '"1"' }, CREATE]) {
    const answer = assertProblem(
      await admin.call('PUT', '/files/docs/a.txt', { body: 'c', headers }),
      412,
      'precondition_failed',
    )
    assert.equal(addressOf(answer.json.movedTo), 'docs/b.txt')
  }
})

test('creating and restoring answer with what the page has: its first metadata, the version whose body it is', async () => {
  const json = { body: '# M', metadata: { status: 'new', __proto__x: 1 } }
  const made = assertStatus(await admin.call('PUT', '/pages/docs/described', { json }), 201).json
  assert.deepEqual(made.metadata, json.metadata)
  assert.equal(assertStatus(await admin.put('/pages/docs/bare', 'x'), 201).json.metadata, undefined)
  assertStatus(await admin.put('/pages/docs/described', '# N', ANY), 200)
  const restored = assertStatus(await admin.post('/pages/docs/described/versions/1/make-latest'), 200).json
  assert.deepEqual([restored.version, restored.restoredFrom], [3, 1])
})

test('the permanent deletion of a page is in the audit log, from the trash as well, and not of a personal space', async () => {
  await admin.space('purged')
  for (const path of ['now', 'later']) assertStatus(await admin.put(`/pages/purged/${path}`, 'x'), 201)
  assertStatus(await admin.put('/pages/personal/mine', 'x'), 201)
  assertStatus(await admin.delete('/pages/purged/now?purge=true', ANY), 204)
  assertStatus(await admin.delete('/pages/purged/later', ANY), 204)
  assertStatus(await admin.delete('/pages/purged/later?purge=true'), 204)
  assertStatus(await admin.delete('/pages/personal/mine?purge=true', ANY), 204)
  const { items } = assertStatus(await admin.get('/admin/audit?action=page.purged'), 200).json
  assert.deepEqual(
    items.map(({ target, details }: { target: { id: string }; details: { path: string } }) => [
      target.id,
      details.path,
    ]),
    [
      ['purged', 'later'],
      ['purged', 'now'],
    ],
  )
})

test('a move rewrites bare targets of missing files, in links as in images', async () => {
  await admin.space('bare')
  const body = '[a](report.pdf) ![b](photo.png) [c](img/x.zip#p "t") [d](./y) [e](https://example.org/z.pdf)'
  assertStatus(await admin.put('/pages/bare/old/page', body), 201)
  assertStatus(await admin.post('/pages/bare/old/page/move', { to: { path: 'new/deep/page' } }, ANY), 200)
  assert.equal(
    (await admin.get('/pages/bare/new/deep/page.md')).text,
    '[a](../../old/report.pdf) ![b](../../old/photo.png) [c](../../old/img/x.zip#p "t") [d](../../old/y) [e](https://example.org/z.pdf)',
  )
})
