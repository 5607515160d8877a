import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, type Client } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let admin: Client
before(async () => {
  service = await startService()
  admin = service.admin
  for (const name of ['One', 'Two', 'Three']) await newPerson(admin, name)
  await admin.space('public')
  await admin.space('closed', { visibility: 'private' })
})
after(() => service[Symbol.asyncDispose]())

const move = (resource: string, space: string, path: string, more: object) =>
  admin.post(`/${resource}/move`, { to: { space, path }, ...more }, { 'if-match': '*' })

test('a dry run names how many more can read what moves, with its history, and nobody where nobody is new', async () => {
  assertStatus(await admin.put('/pages/closed/plan', '# Plan'), 201)
  assertStatus(await admin.put('/pages/closed/plan', '# Plan 2', { 'if-match': '*' }), 200)
  assertStatus(await admin.patch('/pages/closed/plan/metadata', { set: { a: 1, b: 2 } }), 200)
  assertStatus(await admin.post('/threads/closed/plan', { body: 'Why?' }), 201)
  const dry = assertStatus(await move('pages/closed/plan', 'public', 'plan', { dryRun: true }), 200).json
  assert.deepEqual(dry.opens, { people: 3, revisions: 2, metadataChanges: 2, comments: 1 })
  assert.equal(assertStatus(await move('pages/closed/plan', 'closed', 'b', { dryRun: true }), 200).json.opens, null)
  assertStatus(await admin.put('/pages/public/open', 'x'), 201)
  assert.equal(assertStatus(await move('pages/public/open', 'closed', 'open', { dryRun: true }), 200).json.opens, null)
  assertStatus(await admin.call('PUT', '/files/closed/f.txt', { body: 'x' }), 201)
  assertStatus(await admin.post('/threads/closed/f.txt?resource=file', { body: 'Why?' }), 201)
  const file = assertStatus(await move('files/closed/f.txt', 'public', 'f.txt', { dryRun: true }), 200).json
  assert.deepEqual(file.opens, { people: 3, revisions: 0, metadataChanges: 0, comments: 1 })
})

test('rewriting links writes the slug of a space only where all readers can see it, and names the links that it leaves', async () => {
  assertStatus(await admin.put('/pages/public/source', '[t](./target)'), 201)
  assertStatus(await admin.put('/pages/closed/inside', '[t](/pages/public/target)'), 201)
  assertStatus(await admin.put('/pages/public/target', '# T'), 201)
  const away = assertStatus(await move('pages/public/target', 'closed', 'hidden', { rewriteLinks: true }), 200).json
  assert.deepEqual(away.left, [{ space: 'public', path: 'source', line: null, href: null, reason: 'hidden' }])
  assert.equal((await admin.get('/pages/public/source.md')).text, '[t](./target)')
  assert.equal((await admin.get('/pages/closed/inside.md')).text, '[t](/pages/closed/hidden)')

  assertStatus(await admin.put('/pages/closed/sub/a', '[stays](../inside) [b](./b) ![p](./p.png)'), 201)
  assertStatus(await admin.put('/pages/closed/sub/b', 'x'), 201)
  const folder = { path: 'sub', to: { space: 'public', path: 'moved' }, rewriteLinks: true }
  const out = assertStatus(await admin.post('/spaces/closed/move-folder', folder), 200).json
  const { text } = await admin.get('/pages/public/moved/a.md')
  assert.doesNotMatch(text, /closed/)
  assert.match(text, /\[stays\]\(\.\.\/inside\) \[b\]\(\.\/b\)/)
  const left = out.left.filter(({ path }: { path: string }) => path === 'sub/a')
  assert.deepEqual(left.map(({ href, reason }: { href: string; reason: string }) => [href, reason])[0], [
    '../inside',
    'hidden',
  ])
})
