import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { refreshCatalogue } from '../../packages/server/src/content/templates/catalogue/catalogue.ts'
import { loadConfig } from '../../packages/server/src/platform/config.ts'
import { createPool } from '../../packages/server/src/platform/database/connections/pool.ts'
import { DatabaseServer } from '../../packages/server/src/platform/database/connections/server.ts'
import { createDb, type Db } from '../../packages/server/src/platform/database/database.ts'
import { migrate } from '../../packages/server/src/platform/database/migrate.ts'
import { createPublicCheck, createResolver } from '../../packages/server/src/platform/outbound/ssrf-filter.ts'
import { assertProblem, assertStatus } from '../support/client.ts'
import { dataFolder, until } from '../support/embedded.ts'
import { startService } from '../support/service.ts'

/** What the remote side answers, by path. */
const answers = new Map<string, { readonly status?: number; readonly body: string }>()
let remote: Server
let base: string
const stack = new AsyncDisposableStack()
let db: Db

before(async () => {
  remote = createServer((request, response) => {
    const answer = answers.get(request.url ?? '')
    response.writeHead(answer?.status ?? (answer ? 200 : 404), { location: '/catalogue.json' })
    response.end(answer?.body ?? '')
  })
  await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve))
  base = `http://127.0.0.1:${(remote.address() as AddressInfo).port}`
  const folder = stack.use(dataFolder())
  const server = stack.use(await folder.start())
  const pool = createPool({ server: new DatabaseServer(server.connection), size: 4, prepared: true, onError: () => {} })
  stack.defer(() => pool.end())
  await migrate(pool)
  db = createDb(pool)
})
after(async () => {
  remote.close()
  await stack.disposeAsync()
})

const entry = (id: string, more: object = {}) => ({
  id,
  title: `Title of ${id}`,
  description: 'd',
  category: 'c',
  url: `./${id}.json`,
  ...more,
})
const catalogue = (templates: readonly unknown[]) =>
  JSON.stringify({ format: 'space-template-catalogue', formatVersion: 1, templates })
const bundle = (pages: readonly unknown[], more: object = {}) =>
  JSON.stringify({ format: 'page-bundle', formatVersion: 1, space: { slug: 'x', name: 'Named' }, pages, ...more })

function refresh(
  reach: { readonly allowHttp?: boolean; readonly allowPrivate?: boolean } = {},
  url = `${base}/catalogue.json`,
) {
  const config = { ...loadConfig({ SVC_DATA: '/nowhere' }), publicUrl: 'http://localhost' }
  const fetching = {
    resolve: createResolver(),
    reach: { allowHttp: true, allowPrivate: true, isPublic: createPublicCheck(), ...reach },
  }
  return refreshCatalogue({ db, config, now: () => new Date() }, fetching, url, new AbortController().signal)
}

test('an invalid entry does not affect the others, and its last valid copy is kept', async () => {
  answers.set('/catalogue.json', { body: catalogue([entry('good'), entry('turns'), entry('bad'), { id: 'odd' }, 5]) })
  answers.set('/good.json', { body: bundle([{ path: 'home', body: '# Home', metadata: { k: 1 } }]) })
  answers.set('/turns.json', { body: bundle([{ path: 'a', body: 'A' }]) })
  answers.set('/bad.json', { body: bundle([{ path: '../a', body: '' }]) })
  const first = await refresh()
  assert.deepEqual(first.stored, ['good', 'turns'])
  assert.deepEqual(
    first.problems.map(({ id }) => id),
    ['bad', 'odd', '#4'],
  )

  answers.set('/turns.json', { body: '{' })
  const second = await refresh()
  assert.deepEqual(second.unchanged, ['good'])
  assert.ok(second.problems.some(({ id }) => id === 'turns'))
  assert.deepEqual(second.removed, [])
})

test('a failed refresh changes nothing, and a template that is not listed any more is removed', async () => {
  const before = answers.get('/catalogue.json') ?? assert.fail()
  for (const answer of [
    { body: '{' },
    { body: '{}' },
    { body: '', status: 500 },
    { body: '', status: 302 },
    { body: 'x'.repeat(2_000_000) },
  ]) {
    answers.set('/catalogue.json', answer)
    await assert.rejects(refresh())
  }
  answers.set('/catalogue.json', before)
  assert.deepEqual((await refresh()).removed, [])
  answers.set('/catalogue.json', { body: catalogue([entry('good')]) })
  assert.deepEqual((await refresh()).removed, ['turns'])
})

test('an invalid, too large or duplicate bundle is rejected', async () => {
  const many = Array.from({ length: 2_001 }, (_, index) => ({ path: `p${index}`, body: '' }))
  answers.set('/catalogue.json', {
    body: catalogue(['old', 'many', 'twice', 'none', 'good', 'good'].map((id) => entry(id))),
  })
  answers.set('/old.json', { body: bundle([], { formatVersion: 9 }) })
  answers.set('/many.json', { body: bundle(many) })
  answers.set('/twice.json', {
    body: bundle([
      { path: 'a', body: '' },
      { path: 'a', body: '' },
    ]),
  })
  const { problems, unchanged } = await refresh()
  assert.deepEqual(
    problems.map(({ id }) => id),
    ['old', 'many', 'twice', 'none', 'good'],
  )
  assert.deepEqual(unchanged, ['good'])
})

test('the SSRF filter applies to the catalogue and every bundle', async () => {
  await assert.rejects(refresh({ allowPrivate: false }), /is not public/)
  await assert.rejects(refresh({ allowHttp: false }), /plain http/)
  await assert.rejects(
    refresh({ allowPrivate: false }, 'https://localhost/catalogue.json'),
    /names a host that is not public/,
  )
  answers.set('/catalogue.json', { body: catalogue([entry('file', { url: 'file:///etc/passwd' })]) })
  assert.equal((await refresh()).problems[0]?.id, 'file')
})

test('a running service fetches its catalogue and creates spaces from it', async () => {
  answers.set('/catalogue.json', { body: catalogue([entry('good')]) })
  await using service = await startService({
    SVC_SPACE_TEMPLATES_URL: `${base}/catalogue.json`,
    SVC_SPACE_TEMPLATES_ALLOW_HTTP: '1',
    SVC_SPACE_TEMPLATES_ALLOW_PRIVATE_URLS: '1',
  })
  const { admin } = service
  await until(async () => (await admin.all('/space-templates?source=remote')).length === 1)
  const made = assertStatus(await admin.post('/space-templates/remote/good/spaces', { slug: 'from-remote' }), 201)
  assert.equal(made.json.space.name, 'Named')
  assert.equal((await admin.get('/pages/from-remote/home.md')).text, '# Home')
  assert.deepEqual((await admin.get('/pages/from-remote/home/metadata')).json.metadata, { k: 1 })
  assertProblem(await admin.get('/space-templates/remote/none'), 404, 'not_found')
})
