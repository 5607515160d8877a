import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { connectAgent, textOf } from '../support/agent.ts'
import { assertProblem, assertStatus, type Client, redirectOf } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { runCommand } from '../support/terminal.ts'
import { formsIn, openWebSession } from '../support/web-session.ts'
import { syncFolder } from '../sync/folder.ts'

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
    const { json } = assertProblem(await admin.put('/pages/docs/stale', 'fork', headers), 412, 'precondition_failed')
    assert.equal(addressOf(json.movedTo), 'docs/fresh')
    assert.equal(json.movedTo.url, `${admin.base}/pages/docs/fresh`)
    assert.doesNotMatch(json.detail, /leave out|If-Match/)
  }
  const operations = [{ op: 'put', space: 'docs', path: 'stale', body: 'fork', ifMatch: '"1"' }]
  const [item] = assertStatus(await admin.post('/pages/batch', { operations }), 200).json.items
  assert.deepEqual([item.status, addressOf(item.error.movedTo)], [412, 'docs/fresh'])
  assert.equal(
    assertProblem(await admin.call('PATCH', '/pages/docs/stale', { json: edits, headers: ANY }), 404, 'not_found').json
      .movedTo.path,
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
  assert.equal(assertStatus(await admin.put('/pages/docs/gone', 'x', CREATE), 201).json.redirectEnded, undefined)
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
  assert.doesNotMatch(assertStatus(await client.put('/pages/docs/secret', 'x', CREATE), 201).text, /vault|plan/)
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

test('every permanent deletion of a page or file is in the audit log, except in a personal space', async () => {
  await admin.space('purged')
  const form = (target: string, path: string) =>
    admin.call('POST', target, {
      body: String(new URLSearchParams({ path })),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  for (const kind of ['page', 'file']) {
    const urls = `/${kind}s/purged`
    for (const path of ['now', 'later', 'screen']) assertStatus(await admin.put(`${urls}/${path}`, 'x'), 201)
    assertStatus(await admin.put(`/${kind}s/personal/mine`, 'x'), 201)
    assertStatus(await admin.delete(`${urls}/now?purge=true`, ANY), 204)
    for (const path of ['later', 'screen']) assertStatus(await admin.delete(`${urls}/${path}`, ANY), 204)
    assertStatus(await admin.delete(`${urls}/later?purge=true`), 204)
    const trash = kind === 'page' ? '/trash/purged' : '/trash/purged/files'
    assertStatus(await form(`${trash}/purge`, 'screen'), 303)
    assertStatus(await admin.delete(`/${kind}s/personal/mine?purge=true`, ANY), 204)
  }
  assertStatus(await admin.put('/pages/purged/batched', 'x'), 201)
  const operations = [{ op: 'delete', space: 'purged', path: 'batched', purge: true, ifMatch: '*' }]
  assertStatus(await admin.post('/pages/batch', { operations }), 200)
  for (const [kind, paths] of [
    ['page', ['batched', 'screen', 'later', 'now']],
    ['file', ['screen', 'later', 'now']],
  ] as const) {
    const { items } = assertStatus(await admin.get(`/admin/audit?action=${kind}.purged`), 200).json
    assert.deepEqual(
      items.map(({ target, details }: { target: { id: string }; details: { path: string } }) => [
        target.id,
        details.path,
      ]),
      paths.map((path) => ['purged', path]),
    )
  }
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

test('a move onto an address that redirects gives links by it the address of the other page, and names the redirect', async () => {
  await admin.space('onto')
  await admin.space('far')
  const put = async (path: string, body: string) => assertStatus(await admin.put(`/pages/onto/${path}`, body), 201)
  const moveTo = (path: string, json: object) => admin.post(`/pages/onto/${path}/move`, json, ANY)
  for (const path of ['old', 'new', 'away']) await put(path, `# ${path}`)
  await put('reader', '[o](./old) [n](./new)')
  assertStatus(await moveTo('old', { to: { path: 'kept' }, rewriteLinks: false }), 200)
  assertStatus(await moveTo('away', { to: { space: 'far', path: 'there' }, rewriteLinks: false }), 200)
  const order = { to: { path: 'old' }, rewriteLinks: true }
  const dry = assertStatus(await moveTo('new', { ...order, dryRun: true }), 200).json
  const ended = [{ from: { space: 'onto', path: 'old' }, to: { space: 'onto', path: 'kept' } }]
  assert.deepEqual(dry.redirectsEnded, ended)
  const done = assertStatus(await moveTo('new', order), 200).json
  assert.deepEqual([done.redirectsEnded, done.left], [ended, []])
  assert.equal((await admin.get('/pages/onto/reader.md')).text, '[o](./kept) [n](./old)')
  const targets = (await admin.get('/pages/onto/reader/links')).json.outbound
  assert.deepEqual(
    targets.map(({ path, redirected }: { path: string; redirected: boolean }) => [path, redirected]),
    [
      ['kept', false],
      ['old', false],
    ],
  )
  // The links stay as they are, and the redirect is named.
  const other = assertStatus(await moveTo('kept', { to: { path: 'away' }, rewriteLinks: false }), 200).json
  assert.deepEqual(other.redirectsEnded, [
    { from: { space: 'onto', path: 'away' }, to: { space: 'far', path: 'there' } },
  ])
  // Back to an own former address: nothing of others ends.
  const back = assertStatus(await moveTo('away', { to: { path: 'kept' } }), 200).json
  assert.equal(back.redirectsEnded, undefined)
})

test('a move ends no redirect by name that leads to where the mover or the readers of a link may not read', async () => {
  const { id, client } = await newPerson(admin, 'Onto')
  await admin.space('onto2')
  assertStatus(await admin.call('PUT', `/spaces/onto2/members/${id}`, { json: { role: 'editor' } }), 201)
  for (const path of ['a', 'b', 'c']) assertStatus(await admin.put(`/pages/onto2/${path}`, 'x'), 201)
  assertStatus(await admin.put('/pages/onto2/reader', '[a](./a)'), 201)
  const to = { space: 'vault', path: 'onto-secret' }
  assertStatus(await admin.post('/pages/onto2/a/move', { to, rewriteLinks: false }, ANY), 200)
  const order = { to: { path: 'a' }, rewriteLinks: true, dryRun: true }
  const seen = assertStatus(await client.post('/pages/onto2/b/move', order, ANY), 200)
  assert.doesNotMatch(seen.text, /vault|onto-secret|redirectsEnded/)
  // Who can read it is told; its space is not written where others would read it.
  const told = assertStatus(await admin.post('/pages/onto2/b/move', { ...order, dryRun: false }, ANY), 200).json
  assert.deepEqual(told.redirectsEnded[0].to, { space: 'vault', path: 'onto-secret' })
  assert.deepEqual(told.left, [{ space: 'onto2', path: 'reader', line: null, href: null, reason: 'hidden' }])
  assert.equal((await admin.get('/pages/onto2/reader.md')).text, '[a](./a)')
})

test('files: a write, a move and a restore at an address that redirects name what they end; a form ends none', async () => {
  await admin.space('ends')
  const put = (path: string, headers = {}) =>
    admin.call('PUT', `/files/ends/${path}`, { body: `bytes of ${path}`, headers })
  const away = async (path: string, to: string) =>
    assertStatus(await admin.post(`/files/ends/${path}/move`, { to: { path: to } }, ANY), 200)
  for (const path of ['a.txt', 'b.txt', 'c.txt']) assertStatus(await put(path), 201)
  await away('a.txt', 'a2.txt')
  const made = assertStatus(await put('a.txt'), 201).json
  assert.deepEqual(made.redirectEnded, { space: 'ends', path: 'a2.txt' })
  assert.equal((await admin.page('/files/ends/a.txt')).json.redirectEnded, undefined)
  await away('b.txt', 'b2.txt')
  assertStatus(await admin.put('/pages/ends/shows', '![b](./b.txt) ![c](./c.txt)'), 201)
  const moved = assertStatus(await admin.post('/files/ends/c.txt/move', { to: { path: 'b.txt' } }, ANY), 200)
  assert.deepEqual(moved.json.redirectsEnded, [
    { from: { space: 'ends', path: 'b.txt' }, to: { space: 'ends', path: 'b2.txt' } },
  ])
  assert.equal((await admin.get('/pages/ends/shows.md')).text, '![b](./b2.txt) ![c](./b.txt)')
  // The first one is restored where another one was, which has moved since.
  assertStatus(await admin.delete('/files/ends/a.txt', ANY), 204)
  assertStatus(await put('a.txt', CREATE), 201)
  await away('a.txt', 'a3.txt')
  const form = new FormData()
  form.append('path', 'a.txt')
  form.append('file', new Blob(['x']), 'a.txt')
  const headers = { authorization: `Bearer ${admin.key}` }
  const sent = await fetch(`${admin.base}/files/ends`, { method: 'POST', headers, body: form })
  assert.equal(sent.status, 412)
  const { movedTo }: { movedTo: { space: string; path: string } } = await sent.json()
  assert.equal(addressOf(movedTo), 'ends/a3.txt')
  const restored = assertStatus(await admin.post('/files/ends/a.txt/restore'), 200).json
  assert.deepEqual(restored.redirectEnded, { space: 'ends', path: 'a3.txt' })
})

test('a restore from the trash and an import name the redirects that they end', async () => {
  await admin.space('back')
  assertStatus(await admin.put('/pages/back/p', 'first'), 201)
  assertStatus(await admin.delete('/pages/back/p', ANY), 204)
  assertStatus(await admin.put('/pages/back/p', 'second', CREATE), 201)
  assertStatus(await admin.post('/pages/back/p/move', { to: { path: 'q' } }, ANY), 200)
  const json = { format: 'page-bundle', formatVersion: 1, pages: [{ path: 'p', body: 'imported' }] }
  const ended = [{ from: { space: 'back', path: 'p' }, to: { space: 'back', path: 'q' } }]
  const dry = assertStatus(await admin.call('POST', '/spaces/back/import?dryRun=true', { json }), 200).json
  assert.deepEqual(dry.redirectsEnded, ended)
  const restored = assertStatus(await admin.post('/pages/back/p/restore'), 200).json
  assert.deepEqual(restored.redirectEnded, { space: 'back', path: 'q' })
  assert.equal((await admin.get('/pages/back/p.md')).text, 'first')
  assertStatus(await admin.post('/pages/back/p/move', { to: { path: 'r' } }, ANY), 200)
  const imported = assertStatus(await admin.call('POST', '/spaces/back/import', { json }), 200).json
  assert.deepEqual(imported.redirectsEnded, [{ ...ended[0], to: { space: 'back', path: 'r' } }])
  const plain = { ...json, pages: [{ path: 'fresh', body: 'x' }] }
  assert.equal(
    assertStatus(await admin.call('POST', '/spaces/back/import', { json: plain }), 200).json.redirectsEnded,
    undefined,
  )
})

test('command line, folder and agents never end a redirect unasked: they name the new address; a restore names what it ended', async () => {
  await admin.space('asked')
  const pages = ['put', 'edit', 'import', 'pushed']
  for (const path of pages) {
    assertStatus(await admin.put(`/pages/asked/${path}`, path), 201)
    assertStatus(await admin.post(`/pages/asked/${path}/move`, { to: { path: `new/${path}` } }, ANY), 200)
  }
  assertStatus(await admin.call('PUT', '/files/asked/f.txt', { body: 'f', headers: CREATE }), 201)
  assertStatus(await admin.post('/files/asked/f.txt/move', { to: { path: 'new/f.txt' } }, ANY), 200)
  const environment = { RECTO_URL: admin.base, RECTO_API_KEY: admin.key ?? '' }
  const recto = (...words: string[]) => runCommand(words, environment)
  using folder = syncFolder(service)
  assert.equal((await folder.clone('asked')).code, 0)
  for (const name of [...pages.map((path) => `${path}.md`), 'f.txt']) folder.write(name, 'fork')
  const file = join(folder.path, 'put.md')
  const put = await recto('put', 'asked/put', file)
  assert.notEqual(put.code, 0)
  assert.match(put.out + put.err, /new\/put` in the space `asked`/)
  assert.doesNotMatch(put.err, /omit/)
  const upload = await recto('files', 'put', 'asked/f.txt', join(folder.path, 'f.txt'))
  assert.notEqual(upload.code, 0)
  assert.match(upload.out + upload.err, /new\/f\.txt/)
  const push = await folder.run('push')
  assert.equal(push.code, 1, push.out)
  for (const path of pages) assert.match(push.out + push.err, new RegExp(`new/${path}\\b`))
  const imported = await recto('import', folder.path, '--space', 'asked')
  for (let index = 0; index < 60; index++) folder.write(`many/${index}.md`, `page ${index}`)
  const many = await recto('import', folder.path, '--space', 'asked')
  assert.deepEqual([imported.code, many.code], [1, 1], many.out)
  assert.match(many.out, /60 created/)
  for (const path of pages) {
    for (const { out } of [imported, many]) assert.match(out, new RegExp(`new/${path}\\b`))
    assert.equal(redirectOf(await admin.get(`/pages/asked/${path}`)), `/pages/asked/new/${path}`)
  }
  assert.equal((await admin.get('/files/asked/new/f.txt')).text, 'f')
  // A restore is asked for: it says what it ended.
  await using agent = await connectAgent(admin.base, admin.key)
  const ends = [
    async (path: string) => textOf(await agent.call('context_restore_page', { space: 'asked', path })),
    async (path: string) => (await recto('restore', `asked/${path}`)).out,
  ]
  for (const [index, restore] of ends.entries()) {
    const path = `back${index}`
    assertStatus(await admin.put(`/pages/asked/${path}`, 'first'), 201)
    assertStatus(await admin.delete(`/pages/asked/${path}`, ANY), 204)
    await admin.put(`/pages/asked/${path}`, 'second', CREATE)
    assertStatus(await admin.post(`/pages/asked/${path}/move`, { to: { path: `new/${path}` } }, ANY), 200)
    assert.match(await restore(path), new RegExp(`Its URL no longer redirects to asked/new/${path}\\.`))
  }
})

test('the trash screens of pages and files, and a restore of a file by command, say which redirect they ended', async () => {
  await admin.space('ended')
  const session = await openWebSession(admin.base, admin.key ?? '')
  /** Restores what the trash screen lists at a path; the message for the next screen. */
  const restoreOnScreen = async (screen: string, path: string) => {
    const form = formsIn((await session.get(screen)).text).find(
      ({ action, fields }) => action.endsWith('/restore') && fields.some(([, value]) => value === path),
    )
    assert.ok(form, `${screen} has no form to restore ${path}`)
    const { status, message } = await session.send(form)
    assert.equal(status, 303)
    assert.match(message, /was restored\./)
    return message
  }
  const kinds = [
    { kind: 'pages', path: 'page', screen: '/trash/ended' },
    { kind: 'files', path: 'file.txt', screen: '/trash/ended/files' },
    { kind: 'files', path: 'command.txt', screen: undefined },
  ]
  for (const { kind, path, screen } of kinds) {
    const url = `/${kind}/ended/${path}`
    const put = (body: string) => admin.call('PUT', url, { body, headers: CREATE })
    assertStatus(await put('first'), 201)
    assertStatus(await admin.delete(url, ANY), 204)
    assertStatus(await put('second'), 201)
    assertStatus(await admin.post(`${url}/move`, { to: { path: `new/${path}` } }, ANY), 200)
    const environment = { RECTO_URL: admin.base, RECTO_API_KEY: admin.key ?? '' }
    const said = screen
      ? await restoreOnScreen(screen, path)
      : (await runCommand(['files', 'restore', `ended/${path}`], environment)).out
    assert.match(said, new RegExp(`Its URL no longer redirects to ended/new/${path}\\.`), path)
    const asText = { accept: 'text/markdown, text/plain' }
    assert.equal((await admin.get(url, asText)).text, 'first')
    assert.equal((await admin.get(`/${kind}/ended/new/${path}`, asText)).text, 'second')
    // Without a redirect there is nothing to say.
    assertStatus(await admin.delete(url, ANY), 204)
    const again = screen
      ? await restoreOnScreen(screen, path)
      : (await runCommand(['files', 'restore', `ended/${path}`], environment)).out
    assert.doesNotMatch(again, /no longer redirects/, path)
  }
})
