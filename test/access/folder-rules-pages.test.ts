import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Answer, assertStatus, type Client } from '../support/client.ts'
import { newPerson, type Person } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let admin: Client
let ada: Person
let bob: Person
before(async () => {
  service = await startService()
  admin = service.admin
  ada = await newPerson(admin, 'Ada')
  bob = await newPerson(admin, 'Bob')
})
after(() => service[Symbol.asyncDispose]())

const VISIBLE = ['guide', 'guide/a', 'guide/b', 'hr/open/menu', 'hr-x', 'zoo']
const HIDDEN = ['hr', 'hr/pay', 'hr/pay/2026', 'guide/secret/plan', 'aaa/only']

/**
 * Two spaces with the same rules and the same visible pages and files. The first also has what rules hide from Bob, and let
 * Ada read; `hr/open` is visible below a hidden folder, and `hr/read` can be read, but not written.
 */
async function twins(slug: string): Promise<readonly [string, string]> {
  const spaces = [slug, `${slug}-twin`] as const
  for (const space of spaces) {
    assertStatus(await admin.post('/spaces', { slug: space, name: 'Twin', defaultRole: 'editor' }), 201)
    const isWhole = space === slug
    if (isWhole) for (const path of HIDDEN) await make(space, path)
    for (const path of VISIBLE) await make(space, path)
    await rule(space, 'hr', [{ principal: ada.id }], 'inherit')
    await rule(space, 'guide/secret', [{ principal: ada.id }], 'inherit')
    await rule(space, 'aaa', [{ principal: ada.id }], 'inherit')
    await rule(space, 'hr/open', [{ principal: bob.id }, { principal: ada.id }], [{ principal: bob.id }])
  }
  return spaces
}

async function make(space: string, path: string): Promise<void> {
  assertStatus(await admin.put(`/pages/${space}/${path}`, `# ${path}\n\nneedle`), 201)
  const upload = await admin.call('PUT', `/files/${space}/${path}/file.txt`, {
    body: `file ${path}`,
    headers: { 'content-type': 'text/plain' },
  })
  assertStatus(upload, 201)
}

type Listed = readonly { readonly principal: string }[] | 'inherit'

async function rule(space: string, prefix: string, read: Listed, write: Listed): Promise<void> {
  const set = await admin.call('PUT', `/spaces/${space}/rules/${prefix}`, { json: { read, write } })
  assert.ok([200, 201].includes(set.status), set.text)
}

/** What an answer says, without what differs between spaces and times. */
function said({ status, text }: Answer, slug: string) {
  const same = text
    .replaceAll(`${slug}-twin`, 'SPACE')
    .replaceAll(slug, 'SPACE')
    .replace(/\d{4}-\d\d-\d\d(T[\d:.]+Z| \d\d:\d\d UTC)/g, 'TIME')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'ID')
    .replace(/"nextCursor":"[^"]+"/g, '"nextCursor":"CURSOR"')
    .replace(/"(requestId|instance|request_id)":"[^"]*"/g, '"$1":"-"')
  return { status, text: same }
}

/** The same requests to both spaces have the same answers for Bob; an admin sees more in the first one. */
async function assertTwins(spaces: readonly [string, string], ask: (client: Client, space: string) => Promise<Answer>) {
  const [whole, twin] = await Promise.all(spaces.map((space) => ask(bob.client, space)))
  assert.ok(whole && twin)
  assert.deepEqual(said(whole, spaces[0]), said(twin, spaces[0]))
  return whole
}

/** The items of a list, read in parts of two. */
async function walk(client: Client, url: string): Promise<string[]> {
  const paths: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const part: Answer = assertStatus(await client.get(`${url}?limit=2${cursor && `&cursor=${cursor}`}`), 200)
    for (const { path } of part.json.items) paths.push(path)
    cursor = part.json.nextCursor
  }
  return paths
}

test('lists of pages and files have nothing of hidden folders', async () => {
  const spaces = await twins('lists')
  for (const path of ['pages', 'pages?prefix=hr', 'pages?prefix=aaa', 'pages?format=md', 'files', 'files?prefix=hr']) {
    const seen = await assertTwins(spaces, (client, space) => client.get(`/spaces/${space}/${path}`))
    assertStatus(seen, 200)
    assert.doesNotMatch(seen.text, /secret|hr\/pay|aaa/)
    const [forAda, forAdmin] = await Promise.all(
      [ada.client, admin].map((client) => client.get(`/spaces/lists/${path}`)),
    )
    assert.equal(forAda?.text, forAdmin?.text)
    assert.ok(Number(forAdmin?.text.length) > seen.text.length, path)
  }
  for (const list of ['pages', 'files']) {
    const [whole, twin] = await Promise.all(spaces.map((space) => walk(bob.client, `/spaces/${space}/${list}`)))
    assert.deepEqual(whole, twin)
    assert.equal(whole?.length, VISIBLE.length)
  }
  for (const query of ['', '&unused=true', '&q=hr', '&type=text/']) {
    assertStatus(
      await assertTwins(spaces, (client, space) => client.get(`/spaces/${space}/files?limit=3${query}`)),
      200,
    )
  }
  await assertTwins(spaces, (client, space) => client.get(`/pages/recent?space=${space}`))
  await assertTwins(spaces, (client, space) => client.get(`/spaces/${space}/export?format=ndjson`))
  await assertTwins(spaces, (client, space) => client.get(`/spaces/${space}/export?format=json&history=true`))
  await assertTwins(spaces, async (client, space) => {
    const html = await client.get(`/browse-files/${space}`, { accept: 'text/html' })
    return { ...html, text: html.text.replace(/[\s\S]*<main/, '') }
  })
})

test('the tree, its parts and the neighbours of a page have nothing of hidden folders', async () => {
  const spaces = await twins('tree')
  const fragments = ['', '?folder=hr', '?folder=guide', '?folder=', '?page=hr/open/menu', '?page=hr/pay&open=aaa']
  for (const query of fragments) {
    const seen = await assertTwins(spaces, (client, space) => client.get(`/fragments/tree/${space}${query}`))
    assertStatus(seen, 200)
    assert.doesNotMatch(seen.text.replaceAll('hr/pay', ''), /secret|aaa\/only/)
    assert.notEqual((await admin.get(`/fragments/tree/tree${query}`)).text, seen.text)
  }
  for (const path of [...VISIBLE, ...HIDDEN]) {
    await assertTwins(spaces, (client, space) => client.get(`/fragments/neighbours/${space}/${path}`))
  }
})

test('the order of a folder keeps the places of hidden names, and shows them only to those who see them', async () => {
  const spaces = await twins('order')
  const names = async (client: Client, space: string, folder = '') =>
    assertStatus(await client.get(`/spaces/${space}/order?folder=${folder}`), 200).json.names
  const put = (client: Client, space: string, order: readonly string[], folder = '') =>
    client.call('PUT', `/spaces/${space}/order`, { json: { folder, names: order } })
  assertStatus(await put(admin, 'order', ['zoo', 'aaa', 'guide', 'hr']), 200)
  assertStatus(await put(admin, 'order-twin', ['zoo', 'guide', 'hr']), 200)
  assert.deepEqual(await names(bob.client, 'order'), ['zoo', 'guide', 'hr'])
  await assertTwins(spaces, (client, space) => client.get(`/fragments/tree/${space}?page=zoo`))
  for (const path of VISIBLE) {
    await assertTwins(spaces, (client, space) => client.get(`/fragments/neighbours/${space}/${path}`))
  }
  await assertTwins(spaces, (client, space) => put(client, space, ['guide', 'zoo']))
  assert.deepEqual(await names(ada.client, 'order'), ['guide', 'zoo', 'aaa'])
  await assertTwins(spaces, (client, space) => client.post(`/spaces/${space}/order`, { path: 'hr', after: 'zoo' }))
  assert.deepEqual(await names(ada.client, 'order'), ['guide', 'zoo', 'aaa', 'hr'])
  for (const after of ['aaa', 'none']) {
    const sent = (client: Client, space: string) => client.post(`/spaces/${space}/order`, { path: 'hr', after })
    assertStatus(await assertTwins(spaces, sent), 400)
  }
  const hidden = (client: Client, space: string) => client.post(`/spaces/${space}/order`, { path: 'aaa', after: null })
  assertStatus(await assertTwins(spaces, hidden), 404)
  assertStatus(await put(bob.client, 'order', ['pay'], 'hr'), 404)
  assertStatus(await put(bob.client, 'order', ['only'], 'aaa'), 404)
  assertStatus(await put(bob.client, 'order', ['menu'], 'hr/open'), 200)
})

test('the trash shows nothing of hidden folders, and what is there can be neither restored nor purged', async () => {
  const spaces = await twins('trash')
  for (const space of spaces) {
    for (const path of space === 'trash'
      ? ['hr/pay', 'zoo', 'guide/secret/plan', 'hr/open/menu']
      : ['zoo', 'hr/open/menu']) {
      assertStatus(await admin.call('DELETE', `/pages/${space}/${path}`, { headers: { 'if-match': '*' } }), 204)
      assertStatus(
        await admin.call('DELETE', `/files/${space}/${path}/file.txt`, { headers: { 'if-match': '*' } }),
        204,
      )
    }
  }
  for (const list of ['trash', 'files/trash']) {
    const seen = await assertTwins(spaces, (client, space) => client.get(`/spaces/${space}/${list}`))
    assert.equal(seen.json.items.length, 2)
    await assertTwins(spaces, (client, space) => client.get(`/spaces/${space}/${list}?limit=1`))
    assert.equal((await ada.client.get(`/spaces/trash/${list}`)).json.items.length, 4)
  }
  for (const path of ['hr/pay', 'hr/none', 'guide/secret/plan']) {
    const restored = await bob.client.post(`/pages/trash/${path}/restore`)
    assertStatus(restored, 404)
    assert.equal(restored.json.detail, `There is nothing at \`${path}\` in a space \`trash\` that you can see.`)
    const purged = await bob.client.call('DELETE', `/pages/trash/${path}?purge=true`, { headers: { 'if-match': '*' } })
    assertStatus(purged, 404)
  }
  assertStatus(await bob.client.post('/pages/trash/hr/open/menu/restore'), 200)
  assertStatus(await ada.client.post('/pages/trash/hr/pay/restore'), 200)
})

test('a favourite is shown while its page can be read', async () => {
  await twins('marks')
  assertStatus(await ada.client.call('PUT', '/me/favourites/marks/hr/pay'), 204)
  assertStatus(await bob.client.call('PUT', '/me/favourites/marks/hr/pay'), 404)
  assertStatus(await bob.client.call('PUT', '/me/favourites/marks/zoo'), 204)
  const favourites = async ({ client }: Person) =>
    (await client.get('/me/favourites')).json.items.map((item: { page: { path: string } }) => item.page.path)
  assert.deepEqual(await favourites(ada), ['hr/pay'])
  await rule('marks', 'zoo', [{ principal: ada.id }], 'inherit')
  assert.deepEqual(await favourites(bob), [])
  await rule('marks', 'hr', [{ principal: bob.id }], 'inherit')
  assert.deepEqual(await favourites(ada), [])
})
