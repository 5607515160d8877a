import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, type Client } from '../support/client.ts'
import { putBytes } from '../support/files.ts'
import { newPerson, type Person } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

/**
 * Two spaces: in `full` pages and files are below the folder `hr`, in `bare` there are none. Ada, by her group, and the
 * admin can read them, and Bob cannot: to him the spaces are the same.
 */
let service: Service
let admin: Client
let ada: Person
let bob: Person
let group: string
before(async () => {
  service = await startService()
  admin = service.admin
  ada = await newPerson(admin, 'Ada')
  bob = await newPerson(admin, 'Bob')
  group = assertStatus(await admin.post('/admin/groups', { name: 'HR' }), 201).json.id
  assertStatus(await admin.call('PUT', `/admin/groups/${group}/members/${ada.id}`), 201)
  for (const space of ['full', 'bare']) await fill(space, space === 'full')
})
after(() => service[Symbol.asyncDispose]())

async function fill(space: string, full: boolean): Promise<void> {
  await admin.space(space, { defaultRole: 'editor' })
  const write = (path: string, body: string) => admin.write(`${space}/${path}`, body)
  const upload = async (path: string) =>
    assertStatus(await putBytes(admin, `/files/${space}/${path}`, Buffer.from(path)), 201)
  const move = async (path: string, to: string) => {
    const order = { to: { space, path: to }, rewriteLinks: false }
    assertStatus(await admin.post(`/pages/${space}/${path}/move`, order, { 'if-match': '*' }), 200)
  }
  if (full) {
    await write('hr/out', '# Out')
    await move('hr/out', 'open/out')
    await write('open/was', '# Was')
    await move('open/was', 'hr/was')
  } else await write('open/out', '# Out')
  await write('open/b', '# Burrow')
  await write('open/orphan', '# Orphan')
  await write('open/report', '# Report')
  await write('notes/x', '# Notes')
  await upload('open/pic.png')
  const targets = [
    './b',
    '../hr/pay',
    '../hr/none',
    '../hr/public/menu',
    '../hr/out',
    './was',
    './gone',
    './out',
    '../hr',
  ]
  const urls = [`/pages/${space}/hr/pay`, `/pages/${space}/hr/none`, `/files/${space}/hr/logo.png`]
  const images = ['../hr/logo.png', '../hr/none.png', './none.png']
  await write(
    'open/a',
    `${[...targets, ...urls].map((target) => `[x](${target})`).join(' ')} ${images.map((target) => `![i](${target})`).join(' ')} [f](../hr/none.pdf)`,
  )
  await write('hr/public/menu', '# Menu\n[pay](../pay) [b](../../open/b) [none](../none)')
  if (full) {
    await write(
      'hr/pay',
      `# Zebra payroll\n\n## Zebu heading\n[b](../open/b) [o](../open/orphan) [n](../open/nowhere) [g](../open/gone) ![p](../open/pic.png) [t](/pages/${space}/open/out)`,
    )
    await write('hr/report-wages', '# Report of wages\n[none](./none)')
    await write('hr', '# People')
    await upload('hr/logo.png')
  }
  const rules = {
    hr: { read: [{ group }], write: 'inherit' },
    'hr/public': { read: [{ principal: bob.id }, { group }], write: [] },
    notes: { read: 'inherit', write: [] },
  }
  for (const [prefix, json] of Object.entries(rules)) {
    assertStatus(await admin.call('PUT', `/spaces/${space}/rules/${prefix}`, { json }), 201)
  }
}

const PAGES = ['open/a', 'open/b', 'open/orphan', 'open/out', 'open/report', 'hr/public/menu', 'notes/x']

const requests = (space: string): readonly string[] => [
  ...PAGES.flatMap((path) => [
    `/pages/${space}/${path}/links`,
    ...[1, 2, 3].map((depth) => `/pages/${space}/${path}/links?depth=${depth}`),
  ]),
  ...['broken', 'orphans', 'wanted'].flatMap((report) => [
    `/spaces/${space}/links/${report}`,
    `/spaces/${space}/links/${report}?limit=1`,
  ]),
  ...['', 'pay', 'zebra', 'zeb', 'was', 'report', 'hr', 'hr/', 'hr/pay', 'out', 'o', 'repotr'].flatMap((q) => [
    `/titles?space=${space}&q=${q}`,
    `/titles?space=${space}&q=${q}&limit=1`,
    ...(q === '' ? [] : [`/search/suggest?space=${space}&q=${q}`]),
  ]),
  `/pages/${space}/hr/pay/links`,
  `/pages/${space}/hr/pay/links?depth=1`,
  `/pages/${space}/hr/none/links`,
]

/** What a caller is answered, without the slug of the space and without what differs between any two answers. */
async function ask(client: Client, space: string, path: string, accept = 'application/json') {
  const { status, text } = await client.get(path, { accept })
  const answer = text
    .replaceAll(space, 'SPACE')
    .replace(/"(updatedAt|requestId|etag)":"[^"]*"/g, '"$1":""')
    .replace(/"nextCursor":"[^"]*"/, '"nextCursor":"next"')
  return { path: path.replaceAll(space, 'SPACE'), status, answer }
}

test('links, reports, titles and suggestions are the same whether or not there is something in a hidden folder', async () => {
  const full = requests('full')
  const bare = requests('bare')
  for (const [index, path] of full.entries()) {
    assert.deepEqual(await ask(bob.client, 'full', path), await ask(bob.client, 'bare', bare[index] ?? ''))
    assert.deepEqual(await ask(ada.client, 'full', path), await ask(admin, 'full', path))
  }
  const cursors = async (space: string) => (await bob.client.all(`/spaces/${space}/links/broken?limit=1`)).length
  assert.equal(await cursors('full'), await cursors('bare'))
})

test('a target below a rule that hides it is neither there nor missing, and nothing reports it', async () => {
  const linksFor = async (client: Client) => {
    const { outbound, files } = assertStatus(await client.get('/pages/full/open/a/links'), 200).json
    return Object.fromEntries(
      [...outbound, ...files].map(({ path, exists }: { path: string; exists: boolean | null }) => [path, exists]),
    )
  }
  const common = {
    'open/b': true,
    'open/gone': false,
    'open/out': true,
    'open/none.png': false,
    'hr/public/menu': true,
  }
  assert.deepEqual(await linksFor(bob.client), {
    ...common,
    ...{ hr: null, 'hr/pay': null, 'hr/none': null, 'hr/out': null, 'open/was': false },
    ...{ 'hr/logo.png': null, 'hr/none.png': null, 'hr/none.pdf': null },
  })
  const all = {
    ...common,
    ...{ hr: true, 'hr/pay': true, 'hr/none': false, 'hr/out': true, 'open/was': true },
    ...{ 'hr/logo.png': true, 'hr/none.png': false, 'hr/none.pdf': false },
  }
  assert.deepEqual(await linksFor(ada.client), all)
  assert.deepEqual(await linksFor(admin), all)
  const reported = async (client: Client) =>
    new Set((await client.all('/spaces/full/links/broken')).map(({ target }) => target.path))
  assert.deepEqual(await reported(bob.client), new Set(['open/was', 'open/gone', 'open/none.png']))
  const adaReported = await reported(ada.client)
  for (const path of ['hr/none', 'hr/none.png', 'hr/none.pdf']) assert.ok(adaReported.has(path), path)
  const wanted = async (client: Client) =>
    (await client.all('/spaces/full/links/wanted')).map(({ path, pageCount }) => [path, pageCount])
  assert.deepEqual(await wanted(bob.client), [
    ['open/gone', 1],
    ['open/was', 1],
  ])
  assert.deepEqual(await wanted(ada.client), [
    ['hr/none', 3],
    ['open/gone', 2],
    ['open/nowhere', 1],
  ])
  const unused = async (client: Client) =>
    (await client.all('/spaces/full/files?unused=true')).map(({ path }) => path).includes('open/pic.png')
  assert.deepEqual([await unused(bob.client), await unused(ada.client)], [true, false])
})

test('a page is shown with the states of its links that the reader may know, whoever read it before', async () => {
  for (const path of ['open/a', 'hr/public/menu', 'open/a?version=1']) {
    const html = (client: Client, space: string) => ask(client, space, `/pages/${space}/${path}`, 'text/html')
    const marks = async (client: Client, space: string) =>
      [...(await html(client, space)).answer.matchAll(/<[^<>]*class="missing[^<>]*>[^<>]*/g)].map(([mark]) =>
        // Only writers are led to a form.
        mark.replace(/ href="[^"]*"/, ''),
      )
    for (const round of [1, 2, 3]) {
      const all = await marks(admin, 'full')
      assert.deepEqual(await marks(ada.client, 'full'), all, `${path} ${round}`)
      await marks(admin, 'bare')
      const some = await marks(bob.client, 'full')
      assert.deepEqual(some, await marks(bob.client, 'bare'), `${path} ${round}`)
      assert.notDeepEqual(some, all)
    }
  }
})

test('a new rule holds at once for pages that were read before, and for files in them', async () => {
  await admin.space('later')
  await admin.write('later/x/secret', '# Secret')
  assertStatus(await putBytes(admin, '/files/later/x/pic.png', Buffer.from('png')), 201)
  await admin.write('later/a', '[s](x/secret.md) ![p](x/pic.png)')
  const read = async (client: Client) => (await client.get('/pages/later/a', { accept: 'text/html' })).text
  const isMarked = (html: string) => [/class="missing"/.test(html), /class="missing-file"/.test(html)]
  for (const client of [bob.client, admin, bob.client, bob.client, bob.client]) {
    assert.deepEqual(isMarked(await read(client)), [false, false])
  }
  const json = { read: [{ group }], write: 'inherit' }
  assertStatus(await admin.call('PUT', '/spaces/later/rules/x', { json }), 201)
  for (const _ of [1, 2, 3]) {
    assert.deepEqual(isMarked(await read(bob.client)), [true, true])
    assert.deepEqual(isMarked(await read(ada.client)), [false, false])
  }
  assertStatus(await admin.delete('/spaces/later/rules/x'), 200)
  assert.deepEqual(isMarked(await read(bob.client)), [false, false])
})

test('a move writes no address below a rule into a page whose readers cannot all read it', async () => {
  await admin.space('moves', { defaultRole: 'editor' })
  const json = { read: [{ group }], write: 'inherit' }
  assertStatus(await admin.call('PUT', '/spaces/moves/rules/hr', { json }), 201)
  assertStatus(
    await admin.call('PUT', '/spaces/moves/rules/hr/all', { json: { read: 'inherit', write: 'inherit' } }),
    201,
  )
  await admin.write('moves/open/target', '# Target')
  await admin.write('moves/open/reader', '[t](./target.md)')
  await admin.write('moves/hr/reader', '[t](../open/target.md)')
  await admin.write('moves/hr/note', '[p](./pay.md) [r](../open/reader.md) [n](./none.md) ![i](./logo.png)')
  await admin.write('moves/hr/pay', '# Pay')
  assertStatus(await putBytes(admin, '/files/moves/hr/logo.png', Buffer.from('png')), 201)
  const move = async (path: string, to: string) => {
    const order = { to: { space: 'moves', path: to }, rewriteLinks: true }
    return assertStatus(await admin.post(`/pages/moves/${path}/move`, order, { 'if-match': '*' }), 200).json
  }
  const body = async (path: string) => (await admin.get(`/pages/moves/${path}.md`)).text

  const closed = await move('open/target', 'hr/target')
  assert.deepEqual(closed.left, [{ space: 'moves', path: 'open/reader', line: null, href: null, reason: 'hidden' }])
  assert.deepEqual([await body('open/reader'), await body('hr/reader')], ['[t](./target.md)', '[t](./target.md)'])

  const opened = await move('hr/note', 'open/note')
  assert.equal(await body('open/note'), '[p](./pay.md) [r](../open/reader.md) [n](./none.md) ![i](./logo.png)')
  assert.deepEqual(
    opened.left.map(({ href, reason }: { href: string; reason: string }) => [href, reason]),
    [
      ['./pay.md', 'hidden'],
      ['./none.md', 'hidden'],
      ['./logo.png', 'hidden'],
    ],
  )
  await move('hr/target', 'open/target')
  assert.equal(await body('hr/reader'), '[t](../open/target.md)')
  await admin.write('moves/hr/within', '[p](./pay.md)')
  await move('hr/within', 'hr/sub/within')
  assert.equal(await body('hr/sub/within'), '[p](../pay.md)')
})
