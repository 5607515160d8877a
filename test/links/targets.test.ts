import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, type Client } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let admin: Client
before(async () => {
  service = await startService()
  admin = service.admin
})
after(() => service[Symbol.asyncDispose]())

const put = async (path: string, text: string) =>
  assertStatus(
    await admin.call('PUT', path, { body: Buffer.from(text), headers: { 'content-type': 'application/octet-stream' } }),
    201,
  )
const wanted = async (space: string) =>
  (await admin.all(`/spaces/${space}/links/wanted`)).map(({ path }) => path).sort()
const broken = async (space: string) =>
  (await admin.all(`/spaces/${space}/links/broken`)).map(({ kind, target }) => `${kind} ${target.path}`)
const files = async (path: string) =>
  assertStatus(await admin.get(`/pages/${path}/links`), 200).json.files.map(
    (file: { path: string; exists: boolean }) => `${file.path} ${file.exists}`,
  )
const anchors = async (path: string) => {
  const { text } = await admin.get(`/pages/${path}`, { accept: 'text/html' })
  return Object.fromEntries(
    [...text.matchAll(/<a ([^>]*)>(\w+)<\/a>/g)].map(([, attributes = '', name]) => [name, attributes]),
  )
}

const NAMES = [
  'v1.2',
  'Node.js',
  'ASP.NET',
  'Vue.js',
  'a.7',
  'b.2026',
  'draw.io',
  '.csv',
  'Dr. No',
  'x.unknown',
  'St. Gallen',
]

test('a link to a missing page with a dot in its name is wanted, broken as a page, and offers to create it', async () => {
  await admin.space('dots')
  await admin.write('dots/g/p', NAMES.map((name, index) => `[n${index}](<./${name}>)`).join(' '))
  assert.deepEqual(await wanted('dots'), NAMES.map((name) => `g/${name}`).sort())
  assert.deepEqual(
    await broken('dots'),
    NAMES.map((name) => `page g/${name}`),
  )
  assert.deepEqual(await files('dots/g/p'), [])
  const links = await anchors('dots/g/p')
  for (const [index, name] of NAMES.entries()) {
    const path = new URLSearchParams({ path: `g/${name}` }).toString()
    assert.equal(links[`n${index}`], `class="missing" title="There is no page here yet" href="/new/dots?${path}"`)
  }
  await admin.write('dots/g/Node.js', '# Node.js')
  assert.ok(!(await wanted('dots')).includes('g/Node.js'))
  assert.equal((await anchors('dots/g/p')).n1, 'href="/pages/dots/g/Node.js"')
})

test('a link with the suffix of a known file type refers to a file, and is broken as one', async () => {
  await admin.space('types')
  const names = ['a.pdf', 'b.PNG', 'c.tar.gz', 'd.csv', 'e.rs', 'f.yaml', 'g.docx', 'h.mp3', 'i.7z']
  await admin.write('types/p', names.map((name) => `[x](./${name})`).join(' '))
  assert.deepEqual(await wanted('types'), [])
  assert.deepEqual(
    await broken('types'),
    names.map((name) => `file ${name}`),
  )
})

test('a relative link refers to the file at its address while there is no page, whatever its name', async () => {
  await admin.space('beside')
  await admin.write('beside/p', '[a](LICENSE) [b](./NOTICE) [c](./Node.js) [d](gone) [e](./Gone.js) ![](Node.js)')
  assert.deepEqual(await wanted('beside'), ['Gone.js', 'NOTICE', 'Node.js'])
  assert.deepEqual(await broken('beside'), ['page NOTICE', 'page Node.js', 'page Gone.js', 'file Node.js'])
  assert.equal((await anchors('beside/p')).a, 'href="LICENSE"')
  for (const name of ['LICENSE', 'NOTICE', 'Node.js']) await put(`/files/beside/${name}`, name)
  assert.deepEqual(await wanted('beside'), ['Gone.js'])
  assert.deepEqual(await broken('beside'), ['page Gone.js'])
  assert.deepEqual(await files('beside/p'), ['LICENSE true', 'NOTICE true', 'Node.js true'])
  const links = await anchors('beside/p')
  assert.deepEqual(
    [links.a, links.b, links.c],
    ['LICENSE', 'NOTICE', 'Node.js'].map((name) => `href="/files/beside/${name}"`),
  )
  assert.equal(links.d, 'href="gone"')
  for (const name of ['LICENSE', 'NOTICE', 'Node.js']) {
    const file = assertStatus(await admin.get(`/files/beside/${name}`, { accept: 'application/json' }), 200).json
    assert.deepEqual(
      file.usedBy.map(({ path }: { path: string }) => path),
      ['p'],
      name,
    )
  }
  assert.deepEqual(await admin.all('/spaces/beside/files?unused=true'), [])
  // A page takes precedence over a file, except for links that cannot mean a page.
  await admin.write('beside/NOTICE', '# Notice')
  assert.equal((await anchors('beside/p')).b, 'href="/pages/beside/NOTICE"')
  assert.deepEqual(await files('beside/p'), ['LICENSE true', 'Node.js true'])
  assertStatus(await admin.delete('/pages/beside/NOTICE', { 'if-match': '*' }), 204)
  assert.equal((await anchors('beside/p')).b, 'href="/files/beside/NOTICE"')
  assertStatus(await admin.delete('/files/beside/NOTICE', { 'if-match': '*' }), 204)
  assert.match((await anchors('beside/p')).b ?? '', /^class="missing" title="There is no page here yet"/)
  assert.deepEqual(await wanted('beside'), ['Gone.js', 'NOTICE'])
})

test('moves rewrite links to files without a known suffix', async () => {
  await admin.space('carry')
  await admin.write('carry/g/p', '[a](LICENSE) [b](./NOTICE) [c](./Node.js)')
  for (const name of ['LICENSE', 'NOTICE', 'Node.js']) await put(`/files/carry/g/${name}`, name)
  assertStatus(await admin.post('/pages/carry/g/p/move', { to: { path: 'p' } }, { 'if-match': '*' }), 200)
  const body = async () => (await admin.get('/pages/carry/p.md')).text
  assert.equal(await body(), '[a](g/LICENSE) [b](./g/NOTICE) [c](./g/Node.js)')
  for (const name of ['LICENSE', 'NOTICE', 'Node.js']) {
    const to = { to: { path: `f/${name}` }, rewriteLinks: true }
    assertStatus(await admin.post(`/files/carry/g/${name}/move`, to, { 'if-match': '*' }), 200)
  }
  assert.equal(await body(), '[a](f/LICENSE) [b](./f/NOTICE) [c](./f/Node.js)')
})

test('the files of a page are in the order of its body, links and images mixed', async () => {
  await admin.space('mixed')
  await admin.write(
    'mixed/p',
    '![](a.png) [b](b.pdf) ![](c.png) [![](e.png)](d.pdf) <img src="f.png"> [g](./g.pdf)\n![](h.png)[i](i.pdf)\n',
  )
  assert.deepEqual(
    await files('mixed/p'),
    ['a.png', 'b.pdf', 'c.png', 'd.pdf', 'e.png', 'f.png', 'g.pdf', 'h.png', 'i.pdf'].map((name) => `${name} false`),
  )
})

test('links to parts of a page lead to the ids of its headings, however they are written', async () => {
  await admin.space('parts')
  const own = admin.base
  await admin.write(
    'parts/p',
    `[a](#Setup) [b](./p#SETUP) [c](/pages/parts/p.md#setup) [d](${own}/pages/parts/p#Setup) [e](#USER-CONTENT-setup) [f](#two-blanks)
[g](#x²) [h](#none) [i](#top) [j](#Id) [k](./q#Part) [l](${own}/pages/parts/q#part) [m](#)

## Setup

## two  blanks

## x²

<a id="Id"></a>
`,
  )
  await admin.write('parts/q', '# Part')
  const links = await anchors('parts/p')
  const expected = {
    a: '#user-content-setup',
    b: '/pages/parts/p#user-content-setup',
    c: '/pages/parts/p#user-content-setup',
    d: '/pages/parts/p#user-content-setup',
    e: '#user-content-setup',
    f: '#user-content-two--blanks',
    g: '#user-content-x',
    h: '#user-content-none',
    i: '#top',
    j: '#user-content-Id',
    k: '/pages/parts/q#user-content-Part',
    l: '/pages/parts/q#user-content-part',
    m: '#',
  }
  const hrefs = Object.fromEntries(
    Object.keys(expected).map((name) => [name, /href="([^"]*)"/.exec(links[name] ?? '')?.[1]]),
  )
  assert.deepEqual(hrefs, expected)
})
