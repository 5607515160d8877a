import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, Client } from '../support/client.ts'
import { putBytes } from '../support/files.ts'
import { newKey, newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { linksIn, openWebSession, type WebSession } from '../support/web-session.ts'

let service: Service
let admin: Client
let session: WebSession
before(async () => {
  service = await startService()
  admin = service.admin
  session = await openWebSession(admin.base, admin.key ?? '')
})
after(() => service?.[Symbol.asyncDispose]())

/** The names of the groups that the settings of a space list, screen by screen. */
async function listGroupNames(address: string): Promise<string[]> {
  const { status, text } = await session.get(address)
  assert.equal(status, 200)
  const section = text.slice(text.indexOf('<section aria-labelledby="groups">')).split('</section>')[0] ?? ''
  const names = [...section.matchAll(/<div class="name">(Group \d+)/g)].map(([, name = '']) => name)
  const next = linksIn(`<main${text}`).find((link) => link.includes('groups='))
  return next === undefined ? names : [...names, ...(await listGroupNames(next))]
}

test('all groups of a space are reached from its settings, some at a time', async () => {
  await admin.space('docs')
  const expected: string[] = []
  for (let number = 10; number < 53; number++) {
    const name = `Group ${number}`
    const { id } = assertStatus(await admin.post('/admin/groups', { name }), 201).json
    assertStatus(await admin.call('PUT', `/spaces/docs/groups/${id}`, { json: { role: 'viewer' } }), 201)
    expected.push(name)
  }
  assert.deepEqual((await listGroupNames('/settings/docs')).sort(), expected)
})

test('where there are more spaces than a screen lists, they are found by a part of their name or slug', async () => {
  for (let number = 0; number <= 100; number++) await admin.space(`team-${number}`, { name: `Team ${number}` })
  await admin.space('finance', { name: 'Büro für Geld' })
  await admin.space('hidden-finance', { name: 'Geld', visibility: 'private' })
  const form = /<form class="toolbar" method="get" action="\/manage\/spaces" role="search"/
  assert.match((await session.get('/manage/spaces')).text, form)
  for (const screen of ['/manage/spaces', '/all-spaces', '/new']) {
    for (const name of ['GELD', 'finance']) {
      const { status, text } = await session.get(`${screen}?name=${encodeURIComponent(name)}`)
      assert.equal(status, 200)
      assert.match(text, /Büro für Geld/)
      assert.doesNotMatch(text, /Team \d/)
    }
    const { text } = await session.get(`${screen}?name=nothing-at-all`)
    assert.match(text, new RegExp(`<a href="${screen}">Show all</a>[^]*No matching spaces\\.`))
  }
  const eve = await newPerson(admin, 'Eve')
  const other = await openWebSession(admin.base, eve.key)
  const { text } = await other.get('/all-spaces?name=geld')
  assert.match(text, /Büro für Geld/)
  assert.doesNotMatch(text, /hidden-finance/)
})

test('keys are found by a part of their name, their beginning, or the name of their owner', async () => {
  await newPerson(admin, 'Dora')
  const emil = await newPerson(admin, 'Emil')
  const { secret } = await newKey(admin, emil.id)
  const owners = async (name: string) => {
    const { status, text } = await session.get(`/manage/keys?name=${encodeURIComponent(name)}`)
    assert.equal(status, 200)
    return ['Dora', 'Emil'].filter((owner) => text.includes(owner))
  }
  assert.deepEqual(await owners('dora'), ['Dora'])
  assert.deepEqual(await owners(secret.slice(0, 8)), ['Emil'])
  assert.deepEqual(await owners('KEY'), ['Dora', 'Emil'])
  assert.deepEqual(await owners('nothing at all'), [])
})

test('deleted pages and files are found by a part of their title or path', async () => {
  for (let number = 0; number <= 50; number++) {
    assertStatus(await admin.put(`/pages/finance/old/page-${number}`, `# Minutes ${number}`), 201)
    assertStatus(await putBytes(admin, `/files/finance/old/file-${number}.txt`, Buffer.from(`${number}`)), 201)
  }
  assertStatus(await admin.put('/pages/finance/old/plan', '# Das Budget'), 201)
  assertStatus(await putBytes(admin, '/files/finance/old/budget.txt', Buffer.from('1')), 201)
  assertStatus(await admin.post('/spaces/finance/delete-folder', { path: 'old' }), 200)
  for (const [screen, name] of [
    ['/trash/finance', 'budget'],
    ['/trash/finance', 'OLD/PLAN'],
    ['/trash/finance/files', 'Budget'],
  ] as const) {
    assert.match((await session.get(screen)).text, /aria-label="Filter deleted (?:pages|files)"/)
    const { status, text } = await session.get(`${screen}?name=${encodeURIComponent(name)}`)
    assert.equal(status, 200)
    assert.match(text, /Das Budget|budget\.txt/)
    assert.doesNotMatch(text, /Minutes|file-/)
  }
})

test('few spaces have no field that filters them', async () => {
  await using small = await startService()
  await small.admin.space('docs')
  const { text } = await (await openWebSession(small.admin.base, small.admin.key ?? '')).get('/all-spaces')
  assert.doesNotMatch(text, /Filter spaces/)
})

test('the sidebar is sent again only where something in it has changed', async () => {
  await admin.space('noted')
  const accept = { accept: 'text/html' }
  const person = new Client(admin.base, admin.key)
  const first = await person.get('/fragments/sidebar', accept)
  const known = { ...accept, 'if-none-match': first.headers.get('etag') ?? '' }
  assert.equal((await person.get('/fragments/sidebar', known)).status, 304)
  assertStatus(await admin.call('PUT', '/me/favourites/noted'), 204)
  const changed = await person.get('/fragments/sidebar', known)
  assert.equal(changed.status, 200)
  assert.match(changed.text, /Favourites.*\/open\/noted.*Spaces/s)
})
