import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { openBrowser } from '../support/oauth.ts'
import { newPerson, type Person } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

// `?view=blame`: which version changed each line last, and who wrote that.

let service: Service
let admin: Client
let ann: Person
let agent: Person
before(async () => {
  service = await startService({ SVC_PUBLIC_SPACES: 'on' })
  admin = service.admin
  ann = await newPerson(admin, 'Ann', { role: 'admin' })
  agent = await newPerson(admin, 'Helper', { kind: 'agent', role: 'admin' })
})
after(() => service[Symbol.asyncDispose]())

const read = async (page: string, more = '', client: Client = admin) =>
  assertStatus(await client.get(`/pages/${page}?view=blame${more}`), 200).json
// biome-ignore lint/suspicious/noExplicitAny: an answer
const short = ({ lines }: any) =>
  // biome-ignore lint/suspicious/noExplicitAny: an answer
  lines.map(({ from, to, version, by }: any) => `${from}-${to} ${version} ${by?.name}`)

test('each line has the version that changed it last, for the latest version and for older ones', async () => {
  await admin.space('b1')
  await ann.client.write('b1/a', 'one\ntwo\nthree\n')
  await agent.client.write('b1/a', 'one\n2\nthree\n')
  assert.deepEqual(short(await read('b1/a')), ['1-1 1 Ann', '2-2 2 Helper', '3-3 1 Ann'])
  // What is known of version 2 goes on.
  await ann.client.write('b1/a', 'zero\none\n2\nthree\nfour\n')
  await agent.client.write('b1/a', 'zero\none\n2\nthree\nfive\n')
  const blame = await read('b1/a')
  assert.deepEqual(short(blame), ['1-1 3 Ann', '2-2 1 Ann', '3-3 2 Helper', '4-4 1 Ann', '5-5 4 Helper'])
  assert.deepEqual([blame.version, blame.oldest, blame.truncated], [4, null, false])
  assert.deepEqual(blame.lines[4].by, { id: agent.id, name: 'Helper', kind: 'agent' })
  assert.match(blame.lines[0].at, /^\d{4}-.*Z$/)
  assert.deepEqual(short(await read('b1/a', '&version=1')), ['1-3 1 Ann'])
  assert.deepEqual(short(await read('b1/a', '&version=3')).at(-1), '5-5 3 Ann')
  assert.deepEqual(await read('b1/a'), blame)
  const first = await admin.get('/pages/b1/a?view=blame')
  const tag = first.headers.get('etag') ?? ''
  assert.equal((await admin.get('/pages/b1/a?view=blame', { 'if-none-match': tag })).status, 304)
})

test('a move, the trash and a restored version change no line that stays', async () => {
  await admin.space('b2')
  await admin.space('b2b')
  await ann.client.write('b2/a', 'one\ntwo\n')
  await agent.client.write('b2/a', 'one\n2\n')
  const to = { space: 'b2b', path: 'there' }
  assertStatus(await admin.post('/pages/b2/a/move', { to }, { 'if-match': '*' }), 200)
  assertStatus(await admin.delete('/pages/b2b/there', { 'if-match': '*' }), 204)
  assertStatus(await admin.post('/pages/b2b/there/restore'), 200)
  assert.deepEqual(short(await read('b2b/there')), ['1-1 1 Ann', '2-2 2 Helper'])
  assertStatus(await ann.client.post('/pages/b2b/there/versions/1/make-latest'), 200)
  assert.deepEqual(short(await read('b2b/there')), ['1-1 1 Ann', '2-2 4 Ann'])
  assertStatus(await ann.client.put('/pages/b2b/empty', ''), 201)
  assert.deepEqual((await read('b2b/empty')).lines, [])
})

test('the lines of a merge name everybody who wrote the draft', async () => {
  await admin.space('b3')
  await ann.client.write('b3/a', 'one\n')
  const opened = await agent.client.put('/pages/b3/a?changeRequest=new&title=x', 'one\ntwo\n', { 'if-match': '"1"' })
  const { number } = assertStatus(opened, 202).json.changeRequest
  const etag = opened.headers.get('etag') ?? ''
  const again = await ann.client.put(`/pages/b3/a?changeRequest=${number}`, 'one\ntwo\nthree\n', { 'if-match': etag })
  assertStatus(again, 202)
  assertProblem(await admin.get(`/pages/b3/a?view=blame&changeRequest=${number}`), 400, 'change_request_not_supported')
  const request = `/spaces/b3/change-requests/${number}`
  const tag = (await admin.get(request)).headers.get('etag') ?? ''
  assertStatus(await admin.post(`${request}/merge`, {}, { 'if-match': tag }), 200)
  const { lines } = await read('b3/a')
  assert.deepEqual([lines[1].from, lines[1].to, lines[1].by.name, lines[1].changeRequest], [2, 3, 'Ann', number])
  assert.deepEqual(lines[1].authors.map(({ name }: { name: string }) => name).sort(), ['Ann', 'Helper'])
})

test('blame takes a version and nothing else, of what the caller reads; callers without an account have none', async () => {
  await admin.space('b4', { visibility: 'public' })
  await ann.client.write('b4/a', 'one\n')
  for (const more of ['&format=md', '&cursor=x', '&images=show', '&version=0']) {
    assertProblem(await admin.get(`/pages/b4/a?view=blame${more}`), 400, 'invalid_request')
  }
  assertProblem(await admin.get('/pages/b4/a?view=who'), 400, 'invalid_request')
  assertProblem(await admin.get('/pages/b4/a?view=blame&version=2'), 404, 'not_found')
  await admin.space('b4hidden', { visibility: 'private' })
  await admin.write('b4hidden/a', 'one\n')
  const reader = await newPerson(admin, 'Reader')
  assertProblem(await reader.client.get('/pages/b4hidden/a?view=blame'), 404, 'not_found')
  assert.equal((await fetch(`${admin.base}/pages/b4/a?view=blame`)).status, 401)
})

test('the screen shows the lines with their versions, below the history', async () => {
  await admin.space('b5')
  const lines = Array.from({ length: 5000 }, (_, index) => `line ${index} <b>`)
  await ann.client.write('b5/a', lines.join('\n'))
  lines[2500] = 'changed'
  await agent.client.write('b5/a', lines.join('\n'))
  const browser = await openBrowser(admin.base, ann.key)
  assert.match((await browser.open('/history/b5/a')).text, /href="\/history\/b5\/a\?blame=2">Blame</)
  const { text } = await browser.open('/history/b5/a?blame=2')
  assert.equal(text.match(/<li dir="auto">/g)?.length, 5000)
  assert.match(text, />Version 2<\/a> Helper \(agent\)[\s\S]*<ol start="2501"><li dir="auto">changed<\/li><\/ol>/)
  assert.match(text, /<ol start="2502"><li dir="auto">line 2501 &lt;b&gt;<\/li>/)
})
