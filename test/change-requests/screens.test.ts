import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, type Client } from '../support/client.ts'
import { newPerson, type Person } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { formsIn, openWebSession, type Visit, type WebSession } from '../support/web-session.ts'

let service: Service
let admin: Client
let reader: Person
let asAdmin: WebSession
let asReader: WebSession
before(async () => {
  service = await startService()
  admin = service.admin
  reader = await newPerson(admin, 'Rita Reader')
  await admin.space('docs', { visibility: 'private' })
  assertStatus(await admin.call('PUT', `/spaces/docs/members/${reader.id}`, { json: { role: 'viewer' } }), 201)
  ;[asAdmin, asReader] = await Promise.all([
    openWebSession(admin.base, admin.key ?? ''),
    openWebSession(admin.base, reader.key),
  ])
})
after(() => service[Symbol.asyncDispose]())

/** Sends the form of a screen that has a field with this value, with further fields. */
async function sendForm(
  session: WebSession,
  screen: string,
  [name, value]: readonly [string, string],
  more: readonly (readonly [string, string])[] = [],
): Promise<Visit> {
  const { text } = await session.get(screen)
  const form = formsIn(text).find(({ fields }) => fields.some(([key, content]) => key === name && content === value))
  assert.ok(form, `${name}=${value} is not on ${screen}`)
  return session.send({ ...form, fields: [...form.fields, ...more] })
}

/** Opens a request of the reader that edits a page, creates one, and sets a property. */
async function openRequest(path: string, title: string): Promise<number> {
  assertStatus(await admin.put(`/pages/docs/${path}`, '# Old words\n\nfirst\n'), 201)
  const { client } = reader
  const { number } = assertStatus(
    await client.post('/spaces/docs/change-requests', { title, description: 'Because *they* are better.' }),
    201,
  ).json
  const cr = `changeRequest=${number}`
  assertStatus(await client.put(`/pages/docs/${path}?${cr}`, '# New words\n\nfirst\n', { 'if-match': '"1"' }), 202)
  assertStatus(await client.put(`/pages/docs/${path}-more?${cr}`, '# More\n'), 202)
  assertStatus(await client.patch(`/pages/docs/${path}/metadata?${cr}`, { set: { owner: 'Rita' } }), 202)
  return number
}

test('the list has the change requests that one can see, by state and author, and their number is in the tree', async () => {
  const number = await openRequest('list', 'Better <words>')
  const { text } = await asReader.get('/to-review')
  assert.match(text, new RegExp(`href="/to-review/docs/${number}">Better &lt;words&gt;</a>`))
  assert.match(text, /2 pages/)
  assert.match((await asAdmin.get('/to-review?by=me')).text, /No change requests/)
  assert.match((await asAdmin.get('/to-review?space=docs&state=merged')).text, /No change requests/)
  assert.match(
    (await asAdmin.get('/fragments/tree/docs')).text,
    /href="\/to-review\?space=docs">To review <span[^>]*>1</,
  )
  const stranger = await openWebSession(admin.base, (await newPerson(admin, 'Stranger')).key)
  assert.match((await stranger.get('/to-review')).text, /No change requests/)
  for (const path of ['/to-review?space=docs', `/to-review/docs/${number}`])
    assert.equal((await stranger.get(path)).status, 404, path)
  assert.equal((await asReader.get('/to-review/docs/999')).status, 404)
})

test('a request shows its description, each change as source and as rendered, and metadata', async () => {
  const number = await openRequest('shown', 'Shown')
  const { text } = await asReader.get(`/to-review/docs/${number}`)
  assert.match(text, /Because <em>they<\/em> are better/)
  assert.match(text, /<del>Old<\/del>[\s\S]*<ins>New<\/ins>/)
  assert.match(text, /<th scope="row">owner<\/th>/)
  assert.doesNotMatch(text, /name="paths\[\]"|value="merge"/)
  assert.match(
    (await asReader.get(`/to-review/docs/${number}?as=rendered&path=shown`)).text,
    /class="block prose added"/,
  )
  assert.match((await asAdmin.get(`/to-review/docs/${number}`)).text, /name="paths\[\]" value="shown-more" checked/)
})

test('forms merge some paths and then the rest, and the history says who merged', async () => {
  const number = await openRequest('merged', 'Merged')
  const action = `/to-review/docs/${number}`
  const merge = (...paths: string[]) =>
    sendForm(
      asAdmin,
      action,
      ['act', 'merge'],
      paths.map((path) => ['paths[]', path] as const),
    )
  assert.match((await merge()).text, /Choose at least one page/)
  assert.equal((await merge('merged')).location, `${action}?done=merged`)
  assert.match((await admin.get('/pages/docs/merged', { accept: 'text/markdown' })).text, /New words/)
  assert.match((await asAdmin.get(action)).text, /badge info">open/)
  assert.equal((await merge('merged-more')).status, 303)
  assert.match((await asAdmin.get(action)).text, /badge success">merged/)
  const history = await asReader.get('/history/docs/merged')
  assert.match(
    history.text,
    new RegExp(`merged from <a href="/to-review/docs/${number}">change request ${number}</a> by`),
  )
})

test('a conflict is explained, nothing is merged, and it is solved in the draft', async () => {
  const number = await openRequest('conflict', 'Conflicting')
  assertStatus(await admin.put('/pages/docs/conflict', '# Other words\n\nfirst\n', { 'if-match': '"1"' }), 200)
  assertStatus(await admin.patch('/pages/docs/conflict/metadata', { set: { owner: 'Ada' } }), 200)
  const action = `/to-review/docs/${number}`
  const { text } = await asAdmin.get(action)
  assert.match(text, /conflict<\/bdi><\/a> was changed in the same lines since/)
  const failed = await sendForm(asAdmin, action, ['act', 'merge'], [['paths[]', 'conflict']])
  assert.equal(failed.status, 409)
  assert.match(failed.text, /Nothing was merged/)
  const draft = `/edit/docs/conflict?changeRequest=${number}`
  const editor = (await asReader.get(draft)).text
  assert.match(editor, /saved version 2 while[\s\S]*name="base" value="2"[\s\S]*# New words[\s\S]*# Other words/)
  const body = ['body', '# New and other words\n\nfirst\n'] as const
  assert.equal((await sendForm(asReader, draft, ['opened', 'docs/conflict'], [body])).status, 303)
  const solved = await sendForm(asReader, action, ['act', 'resolve'])
  assert.match(solved.location ?? '', /done=saved/)
  assert.doesNotMatch((await asReader.get(action)).text, /It cannot be merged/)
  assert.equal((await sendForm(asAdmin, action, ['act', 'merge'], [['paths[]', 'conflict']])).status, 303)
  const { json: metadata } = await admin.get('/pages/docs/conflict/metadata')
  assert.deepEqual(metadata.metadata, { owner: 'Rita' })
})

test('its author edits, closes, reopens and deletes it; other readers cannot', async () => {
  const number = await openRequest('own', 'Own')
  const action = `/to-review/docs/${number}`
  const act = (name: string, title?: string) =>
    sendForm(
      asReader,
      action,
      ['act', name],
      title === undefined
        ? []
        : [
            ['title', title],
            ['description', ''],
          ],
    )
  assert.equal((await act('update', '')).status, 400)
  assert.equal((await act('update', 'Ours')).location, `${action}?done=saved`)
  assert.match((await asReader.get(action)).text, /<h1>Ours /)
  assert.equal((await act('close')).status, 303)
  assert.match((await asReader.get(action)).text, /Open again/)
  assert.equal((await act('reopen')).status, 303)
  const other = await newPerson(admin, 'Otto Other')
  assertStatus(await admin.call('PUT', `/spaces/docs/members/${other.id}`, { json: { role: 'viewer' } }), 201)
  const asOther = await openWebSession(admin.base, other.key)
  assert.doesNotMatch((await asOther.get(action)).text, /Close without merging/)
  assert.equal((await act('delete')).location, '/to-review?done=deleted')
  assert.equal((await asReader.get(action)).status, 404)
})

test('a page that is read through a request says so, and its links and the tree stay in it', async () => {
  const number = await openRequest('preview', 'Preview')
  const { client } = reader
  const cr = `changeRequest=${number}`
  const linking = '# Links\n\n[back](preview.md) [out](https://example.org/)\n'
  assertStatus(await client.put(`/pages/docs/linking?${cr}`, linking), 202)
  const created = (await asAdmin.get(`/pages/docs/linking?${cr}`)).text
  assert.match(
    created,
    new RegExp(`You see this space with <a href="/to-review/docs/${number}">change request ${number}`),
  )
  assert.match(created, new RegExp(`href="/pages/docs/preview\\?${cr}"`))
  assert.match(created, /Draft by Rita Reader/)
  assert.doesNotMatch(created, /href="https:\/\/example.org\/\?|data-fragment=|href="\/history/)
  assert.match(created, new RegExp(`data-change-request="${number}"`))
  const tree = (await asAdmin.get(`/fragments/tree/docs?${cr}`)).text
  assert.match(tree, new RegExp(`href="/pages/docs/preview\\?${cr}"`))
  assert.doesNotMatch(tree, /data-editable|class="add"/)
  assert.match(tree, new RegExp(`href="/pages/docs/linking\\?${cr}">Links <span class="badge plain">new`))
  const plain = (await asReader.get('/pages/docs/preview')).text
  assert.doesNotMatch(plain, /changeRequest=\d|You see this space/)
})

test('a reader suggests a change in the editor, in a new request and then in that one', async () => {
  assertStatus(await admin.put('/pages/docs/suggest', '# One\n\nfirst\n'), 201)
  const page = (await asReader.get('/pages/docs/suggest')).text
  const url = /href="(\/edit\/docs\/suggest[^"]*)"[^>]*>Suggest</.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? ''
  assert.equal(url, '/edit/docs/suggest?changeRequest=new&title=A+suggestion')
  assert.equal((await asReader.get('/edit/docs/suggest')).status, 403)
  const mark = ['opened', 'docs/suggest'] as const
  const suggest = (screen: string, body: string, more: readonly (readonly [string, string])[] = []) =>
    sendForm(asReader, screen, mark, [['body', body], ...more])
  assert.match((await suggest(url, '# *Two*', [['action', 'preview']])).text, /<em>Two<\/em>/)
  const first = await suggest(url, '# Two\n\nfirst\n', [['title', 'Count on']])
  const number = Number(/^\/to-review\/docs\/(\d+)\?done=suggested$/.exec(first.location ?? '')?.[1])
  assert.match((await asReader.get(`/to-review/docs/${number}`)).text, /<h1>Count on /)
  const draft = `/edit/docs/suggest?changeRequest=${number}`
  const { text } = await asReader.get(draft)
  assert.match(text, /name="draft" value="draft-\d+-1"[\s\S]*# Two/)
  // Of two windows the second gets what the first one saved, and loses nothing.
  const form = formsIn(text).find(({ fields }) => fields.some(([name]) => name === 'draft'))
  assert.ok(form)
  assert.equal((await suggest(draft, '# Three\n\nfirst\n')).status, 303)
  const late = await asReader.send({ ...form, fields: [...form.fields, ['body', '# Four\n\nfirst\n']] })
  assert.equal(late.status, 412)
  assert.match(late.text, /saved the draft while you were editing[\s\S]*&lt;&lt;&lt;&lt;&lt;&lt;&lt;[\s\S]*# Four/)
  // The request that is chosen has a draft of the page already.
  const into = ['into', String(number)] as const
  const again = await suggest(url, '# One\n\nfirst\n\nlast\n', [into, ['title', '']])
  assert.equal(again.status, 412)
  assert.match(again.text, /# Three/)
  const stored = await admin.get('/pages/docs/suggest', { accept: 'text/markdown' })
  assert.equal(stored.text, '# One\n\nfirst\n')
  const other = await openWebSession(admin.base, (await newPerson(admin, 'Nobody')).key)
  assert.equal((await other.get(url)).status, 404)
})

test('Suggest is offered where the space takes proposals of the reader', async () => {
  await openRequest('offer', 'Offer')
  const isOffered = async () => /changeRequest=new/.test((await asReader.get('/pages/docs/offer')).text)
  assert.equal(await isOffered(), true)
  for (const proposals of ['editors', 'off']) {
    assertStatus(await admin.patch('/spaces/docs', { proposals }), 200)
    assert.equal(await isOffered(), false)
    assert.doesNotMatch((await asReader.get('/history/docs/offer')).text, /changeRequest=new/)
  }
  assertStatus(await admin.patch('/spaces/docs', { proposals: 'readers' }), 200)
  assert.equal(await isOffered(), true)
})
