import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { connectAgent } from '../support/agent.ts'
import { assertProblem, assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
before(async () => {
  service = await startService()
  await service.admin.space('docs')
})
after(() => service[Symbol.asyncDispose]())

const paths = async () => (await service.admin.all('/spaces/docs/pages')).map(({ path }) => path)

test('`.md` at the end of a path is no part of it in all JSON bodies', async () => {
  const { admin } = service
  const put = { op: 'put', space: 'docs', path: 'a.md', body: '# A\n' }
  const written = await admin.post('/pages/batch', { operations: [put] })
  assert.deepEqual([written.json.items[0].status, written.json.items[0].page.path], [201, 'a'])
  const got = await admin.post('/pages/batch-get', { pages: [{ space: 'docs', path: 'a.md' }] })
  assert.equal(got.json.items[0].page.path, 'a')
  const pages = [{ space: 'docs', path: 'a.md' }]
  assert.deepEqual((await admin.post('/metadata/batch', { pages, set: { x: 1 } })).json.items[0].changedKeys, ['x'])
  const twice = { pages: [...pages, { space: 'docs', path: 'a' }], set: { x: 2 } }
  assertProblem(await admin.post('/metadata/batch', twice), 400, 'invalid_request')
  const headers = { 'if-match': '*' }
  const moved = await admin.call('POST', '/pages/docs/a/move', { json: { to: { path: 'f/b.md' } }, headers })
  assert.equal(moved.json.page.path, 'f/b')
  assertStatus(await admin.post('/spaces/docs/move-folder', { path: 'f.md', to: { path: 'g.md' } }), 200)
  assert.deepEqual(await paths(), ['g/b'])
  const bundle = {
    format: 'page-bundle',
    formatVersion: 1,
    pages: [
      { path: 'c.md', body: '' },
      { path: 'templates/t', body: '# T\n' },
    ],
  }
  assertStatus(await admin.post('/spaces/docs/import', bundle), 200)
  assertProblem(
    await admin.post('/spaces/docs/import', { ...bundle, pages: [...bundle.pages, { path: 'c', body: '' }] }),
    400,
    'invalid_bundle',
  )
  const made = await admin.call('PUT', '/pages/docs/d', { json: { template: 't.md' } })
  assertStatus(made, 201)
  assertStatus(await admin.post('/spaces/docs/order', { path: 'd.md', after: null }), 200)
  assert.deepEqual((await admin.get('/spaces/docs/order')).json.names, ['d'])
  assertStatus(await admin.post('/spaces/docs/delete-folder', { path: 'g.md' }), 200)
  assert.deepEqual(await paths(), ['c', 'd', 'templates/t'])
})

test('no page can be created whose name ends in `.md`, and folders and files may have such a name', async () => {
  const { admin } = service
  await using agent = await connectAgent(service.app.address, admin.key)
  const headers = { 'if-match': '*' }
  assertStatus(await admin.call('PUT', '/pages/docs/plain', { body: '' }), 201)
  for (const path of ['x.md.md', 'x/y.md.md', '.md', 'x/.md']) {
    assertProblem(await admin.call('PUT', `/pages/docs/${path}`, { body: '' }), 400, 'invalid_path')
    const operations = [{ op: 'put', space: 'docs', path, body: '' }]
    const [item] = (await admin.post('/pages/batch', { operations })).json.items
    assert.deepEqual([item.status, item.error.code], [400, 'invalid_path'], path)
    const to = { path }
    assertProblem(await admin.call('POST', '/pages/docs/plain/move', { json: { to }, headers }), 400, 'invalid_path')
    assertProblem(await admin.post('/spaces/docs/move-folder', { path: 'plain', to }), 400, 'invalid_path')
    const bundle = { format: 'page-bundle', formatVersion: 1, pages: [{ path, body: '' }] }
    assertProblem(await admin.post('/spaces/docs/import', bundle), 400, 'invalid_bundle')
    await agent.rejected('invalid_path', 'context_write_page', { space: 'docs', path, body: '' })
  }
  // A folder and a file may have such a name.
  assertStatus(await admin.call('PUT', '/pages/docs/folder.md/page', { body: '' }), 201)
  assertStatus(await admin.call('PUT', '/files/docs/readme.md', { body: 'x' }), 201)
})
