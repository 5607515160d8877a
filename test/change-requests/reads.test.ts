import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Answer, assertProblem, assertStatus, type Client } from '../support/client.ts'
import { png, putBytes } from '../support/files.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson } from '../support/people.ts'

// Reads through a change request show the space as it will be after the merge, and nothing of what is hidden.

let nodes: Nodes
let admin: Client
before(async () => {
  nodes = await startNodes()
  admin = nodes.admins[0]
})
after(() => nodes[Symbol.asyncDispose]())

const PAGES = {
  hub: '# Hub\n\n[gone](./gone) [old](./old) [x](./x) [y](./y) [wanted](./wanted) [never](./never)\n\n![picture](./no.png)\n',
  gone: '# Gone\n\n[hub](./hub)\n',
  old: '# Old\n\n[beside](./beside) [missing](./missing)\n',
  beside: '# Beside\n\n[old](./old)\n',
  x: '# X\n\n[y](./y)\n',
  y: '# Y\n\n[x](./x) and [it again](./x)\n',
  edited: '# Edited\n\n[hub](./hub)\n',
  quiet: '# Quiet\n\nwords about zebras\n',
  'dir/below': '# Below\n\n[up](../wanted) [hub](/pages/SPACE/hub)\n',
}

/** Proposes changes of each kind to the pages. */
async function propose(client: Client, space: string): Promise<string> {
  const { json: request } = assertStatus(
    await client.post(`/spaces/${space}/change-requests`, { title: 'Changes' }),
    201,
  )
  const cr = `changeRequest=${request.number}`
  const one = { 'if-match': '"1"' }
  const at = (path: string) => `/pages/${space}/${path}`
  const move = async (path: string, to: string, etag = '"1"') =>
    assertStatus(await client.post(`${at(path)}/move?${cr}`, { to: { path: to } }, { 'if-match': etag }), 202)
  const put = async (path: string, body: string, headers = {}) =>
    assertStatus(await client.put(`${at(path)}?${cr}`, body, headers), 202)
  await put('wanted', '# Wanted\n\n[edited](./edited) [old](./old) [moved](./to/moved) [nobody](./nobody)\n')
  await put(
    'edited',
    '# Edited anew\n\n[y](./y) [gone](./gone) [new](./fresh/page) ![none](./none.png)\n\nokapi\n',
    one,
  )
  await put('first', '# First\n\n[beside](./beside)\n')
  await move('first', 'fresh/page', '"draft-1-1"')
  assertStatus(await client.delete(`${at('gone')}?${cr}`, one), 202)
  await move('old', 'to/moved')
  await move('x', 'z')
  await move('y', 'x')
  await move('z', 'y')
  assertStatus(await client.patch(`${at('quiet')}/metadata?${cr}`, { set: { state: 'draft' } }), 202)
  return cr
}

async function fill(client: Client, space: string, pages: Readonly<Record<string, string>> = PAGES): Promise<void> {
  for (const [path, body] of Object.entries(pages))
    assertStatus(await client.put(`/pages/${space}/${path}`, body.replace('SPACE', space)), 201)
}

async function listAll(client: Client, url: string, limit: number): Promise<{ items: unknown[]; pages: number }> {
  const items: unknown[] = []
  let cursor = ''
  for (let pages = 1; ; pages++) {
    const { json } = assertStatus(await client.get(`${url}limit=${limit}${cursor}`), 200)
    assert.ok(json.items.length <= limit)
    items.push(...json.items)
    if (json.nextCursor === null) return { items, pages }
    cursor = `&cursor=${encodeURIComponent(json.nextCursor)}`
  }
}

const AFTER = ['beside', 'dir/below', 'edited', 'fresh/page', 'hub', 'quiet', 'to/moved', 'wanted', 'x', 'y']

/** What the links of each page are, without what the merge rewrites. */
async function readLinks(client: Client, space: string, cr: string, paths: readonly string[] = AFTER) {
  const pages: unknown[] = []
  for (const path of paths) {
    const { json } = assertStatus(await client.get(`/pages/${space}/${path}/links?${cr}`), 200)
    const { backlinks, outbound, files } = json
    pages.push({
      path,
      outbound: outbound.map(({ url, text, line, exists, title }: Record<string, unknown>) => ({
        url,
        text,
        line,
        exists,
        title,
      })),
      files,
      backlinks: backlinks.map(({ path, title, text }: Record<string, unknown>) => ({ path, title, text })),
    })
  }
  return pages
}

/** The links in the HTML of a page: where they lead, and whether they are marked as missing. */
function linksIn({ text }: Answer): string[] {
  const content = /<article[\s\S]*?<\/article>/.exec(text)?.[0] ?? text
  const tags = content.matchAll(/<a ([^>]*)href="(\/pages\/[^"?#]*)/g)
  return Array.from(tags, ([, attributes = '', href]) => `${href} ${/class="missing"/.test(attributes)}`)
}

test('links, backlinks and broken links are those after the merge', async () => {
  await admin.space('l1')
  await fill(admin, 'l1')
  const { client: reader, id } = await newPerson(admin, 'l1-reader')
  assertStatus(await admin.call('PUT', `/spaces/l1/members/${id}`, { json: { role: 'viewer' } }), 201)
  const before = await readLinks(admin, 'l1', '', ['hub', 'old', 'quiet'])
  const cr = await propose(admin, 'l1')
  assert.deepEqual(await readLinks(admin, 'l1', '', ['hub', 'old', 'quiet']), before)
  const html = async (query: string) => {
    const pages: string[][] = []
    for (const path of AFTER) {
      pages.push(linksIn(assertStatus(await reader.get(`/pages/l1/${path}?${query}`, { accept: 'text/html' }), 200)))
    }
    return pages
  }
  const shown = { links: await readLinks(admin, 'l1', cr), html: await html(cr) }
  const broken = await listAll(admin, `/spaces/l1/links/broken?${cr}&`, 200)
  const brokenByOne = await listAll(admin, `/spaces/l1/links/broken?${cr}&`, 1)
  assert.deepEqual(brokenByOne.items, broken.items)
  assert.ok(shown.html.flat().some((link) => link === '/pages/l1/to/moved false'))
  const { etag } = (await admin.get('/spaces/l1/change-requests/1')).json
  assertStatus(await admin.post('/spaces/l1/change-requests/1/merge', {}, { 'if-match': etag }), 200)
  assert.deepEqual(shown.links, await readLinks(admin, 'l1', ''))
  assert.deepEqual(broken, await listAll(admin, '/spaces/l1/links/broken?', 200))
  assert.deepEqual(shown.html, await html(''))
})

/** The pages of an export by lines, without their versions. */
async function exportPages(client: Client, space: string, query: string): Promise<{ path: string }[]> {
  const { text } = assertStatus(await client.get(`/spaces/${space}/export?format=ndjson&${query}`), 200)
  const lines = text.trim().split('\n')
  return lines.slice(0, -1).map((line) => ({ ...JSON.parse(line), version: undefined }))
}

test('an export through a request has its pages, and routes about versions and events take none', async () => {
  await admin.space('l3')
  await fill(admin, 'l3', { a: 'one', b: 'two', c: 'three', 'd/e': 'four' })
  const { json } = assertStatus(await admin.put('/pages/l3/bb?changeRequest=new&title=More', 'new'), 202)
  const cr = `changeRequest=${json.changeRequest.number}`
  const one = { 'if-match': '"1"' }
  assertStatus(await admin.put(`/pages/l3/a?${cr}`, 'edited', one), 202)
  assertStatus(await admin.delete(`/pages/l3/b?${cr}`, one), 202)
  assertStatus(await admin.post(`/pages/l3/c/move?${cr}`, { to: { path: 'f' } }, one), 202)
  assertStatus(await admin.patch(`/pages/l3/d/e/metadata?${cr}`, { set: { state: 'draft' } }), 202)
  const exported = await exportPages(admin, 'l3', cr)
  assert.deepEqual(
    exported.map(({ path }) => path),
    ['a', 'bb', 'd/e', 'f'],
  )
  assert.deepEqual(await exportPages(admin, 'l3', `${cr}&after=bb`), exported.slice(2))
  const bundle = assertStatus(await admin.get(`/spaces/l3/export?${cr}`), 200).json
  assert.deepEqual(
    bundle.pages.map(({ path, body }: { path: string; body: string }) => [path, body]),
    [
      ['a', 'edited'],
      ['bb', 'new'],
      ['d/e', 'four'],
      ['f', 'three'],
    ],
  )
  assert.deepEqual(bundle.pages[2].metadata, { state: 'draft' })
  for (const url of [
    `/spaces/l3/export?history=true&${cr}`,
    `/pages/l3/a/versions?${cr}`,
    `/pages/l3/a/versions/1?${cr}`,
    `/pages/l3/a?version=1&${cr}`,
    `/changes?${cr}`,
    `/search/metadata?filters=%5B%5D&${cr}`,
    `/search?q=x&space=l3&filters=%5B%5D&${cr}`,
  ])
    assertProblem(await admin.get(url), 400, 'change_request_not_supported')
  const readDocuments = async (query: string) => {
    const urls = ['/spaces/l3/pages?format=md', '/pages/l3/d?format=md']
    const answers = await Promise.all(urls.map((url) => admin.get(`${url}${query}`)))
    // Without versions and titles: a page without a heading is named after its path by the merge.
    const texts = answers.map((answer) => assertStatus(answer, 200).text)
    return texts.map((text) =>
      text.replace(/, (?:version \d+|not created yet): /g, ': ').replace(/\[[^\]]*\]\(#/g, '[](#'),
    )
  }
  const documents = await readDocuments(`&${cr}`)
  assert.match(documents[0] ?? '', /edited[\s\S]*new[\s\S]*four[\s\S]*three/)
  const { etag } = (await admin.get('/spaces/l3/change-requests/1')).json
  assertStatus(await admin.post('/spaces/l3/change-requests/1/merge', {}, { 'if-match': etag }), 200)
  assert.deepEqual(await exportPages(admin, 'l3', ''), exported)
  assert.deepEqual(await readDocuments(''), documents)
})

test('a search through a request has its texts after the pages of the index', async () => {
  await admin.space('l5')
  await fill(admin, 'l5', {
    a: '# One\n\nzebra crossing',
    b: '# Two\n\nzebra',
    c: '# Three\n\nzebra herds',
    d: '# Four\n\nthe zebra walks',
  })
  const { json } = assertStatus(
    await admin.put('/pages/l5/n?changeRequest=new&title=More', '# New\n\nzebras, okapis'),
    202,
  )
  const cr = `changeRequest=${json.changeRequest.number}`
  const one = { 'if-match': '"1"' }
  assertStatus(await admin.put(`/pages/l5/a?${cr}`, '# One\n\nan okapi', one), 202)
  assertStatus(await admin.delete(`/pages/l5/b?${cr}`, one), 202)
  assertStatus(await admin.post(`/pages/l5/c/move?${cr}`, { to: { path: 'to/c' } }, one), 202)
  assertStatus(await admin.put(`/pages/l5/o?${cr}`, '# Okapi\n\nin the title'), 202)
  const search = async (q: string, more = '') => {
    const url = `/search?space=l5&q=${encodeURIComponent(q)}&${cr}${more}`
    const { json: result } = assertStatus(await admin.get(url), 200)
    return { ...result, paths: result.items.map(({ path }: { path: string }) => path) }
  }
  const [okapi, zebra] = [await search('okapi'), await search('zebra')]
  assert.deepEqual(okapi.paths, ['o', 'n', 'a'])
  assert.deepEqual([zebra.paths.slice(0, 2).sort(), zebra.paths.slice(2)], [['d', 'to/c'], ['n']])
  const [, created, page] = okapi.items
  assert.deepEqual([page.version, created.version, page.title], [1, null, 'One'])
  assert.match(page.snippet, /an <mark>okapi<\/mark>/)
  assert.deepEqual((await search('okapi -zebra')).paths, ['o', 'a'])
  assert.deepEqual((await search('title:okapi')).paths, ['o'])
  assert.deepEqual((await search('okapi path:n')).paths, ['n'])
  assert.deepEqual((await search('okapi by:me')).paths, ['o', 'a', 'n'])
  assert.deepEqual((await search('okapis', '&passages=true')).items[0].passages[0].text, '# Okapi\n\nin the title')
  const list = await listAll(admin, `/search?space=l5&q=zebra&${cr}&`, 1)
  assert.deepEqual(
    list.items.map((item) => (item as { path: string }).path),
    zebra.paths,
  )
  assert.deepEqual((await admin.get('/search?space=l5&q=okapi')).json.items, [])
  assertProblem(await admin.get(`/search?q=okapi&${cr}`), 400, 'invalid_request')
  const { etag } = (await admin.get('/spaces/l5/change-requests/1')).json
  assertStatus(await admin.post('/spaces/l5/change-requests/1/merge', {}, { 'if-match': etag }), 200)
  const { items } = (await admin.get('/search?space=l5&q=okapi')).json
  assert.deepEqual(items.map(({ path }: { path: string }) => path).sort(), ['a', 'n', 'o'])
})

test('every read through a change request that there is not is 404', async () => {
  await admin.space('l6')
  await fill(admin, 'l6', { a: 'one' })
  assertStatus(await admin.put('/files/l6/f.txt', 'bytes'), 201)
  const page = [
    '/pages/l6/a?',
    '/pages/l6/a.md?',
    '/pages/l6/a?format=md&',
    '/pages/l6/a/links?',
    '/pages/l6/a/metadata?',
  ]
  const lists = ['pages', 'files', 'links/broken', 'export'].map((list) => `/spaces/l6/${list}?`)
  for (const url of [...page, ...lists, '/files/l6/f.txt?', '/fragments/tree/l6?', '/search?space=l6&q=one&']) {
    assertStatus(await admin.get(url), 200)
    assertProblem(await admin.get(`${url}changeRequest=99`), 404, 'not_found')
  }
})

test('redirects keep the request', async () => {
  await admin.space('l4')
  await fill(admin, 'l4', { a: 'one' })
  const { json } = assertStatus(await admin.put('/pages/l4/n?changeRequest=new&title=More', 'new'), 202)
  const cr = `changeRequest=${json.changeRequest.number}`
  assertStatus(await admin.post('/pages/l4/a/move', { to: { path: 'b' } }, { 'if-match': '"1"' }), 200)
  for (const suffix of ['', '/metadata', '/links']) {
    const moved = assertStatus(await admin.get(`/pages/l4/a${suffix}?${cr}`), 308)
    assert.equal(moved.headers.get('location'), `${admin.base}/pages/l4/b${suffix}?${cr}`)
  }
})

/** All reads through a request of a caller, as texts without the name of the space and times. */
async function readAll(client: Client, space: string, cr: string): Promise<string[]> {
  const paths = [...AFTER, 'shown', 'secret', 'secret/s', 'secret/n', 'gone', 'm', 'n2']
  const urls = [
    ...paths.flatMap((path) => [
      `/pages/${space}/${path}?`,
      `/pages/${space}/${path}/links?`,
      `/pages/${space}/${path}.md?`,
    ]),
    ...paths.flatMap((path) => [`/pages/${space}/${path}?format=md&`, `/pages/${space}/${path}/metadata?`]),
    ...['secret/f.png', 'secret/new.png', 'shown.png', 'f2.png'].map((path) => `/files/${space}/${path}?`),
    ...['pages?', 'pages?limit=3&', 'links/broken?', 'links/broken?limit=2&', 'export?format=ndjson&'].map(
      (list) => `/spaces/${space}/${list}`,
    ),
    ...['export?', 'pages?format=md&', 'files?', 'files?limit=1&'].map((list) => `/spaces/${space}/${list}`),
    `/search?q=links&space=${space}&`,
    `/search?q=hub&limit=2&space=${space}&`,
    `/spaces/${space}/change-requests/1?`,
    `/spaces/${space}/change-requests/1/changes?`,
  ]
  const answers: string[] = []
  for (const url of urls) {
    const query = url.includes('change-requests') ? '' : cr
    const { status, text } = await client.get(`${url}${query}`, { accept: 'application/json, application/x-ndjson' })
    answers.push(`${url} ${status} ${text}`)
  }
  return answers.map((answer) =>
    answer
      .replaceAll(space, 'SPACE')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
      .replace(/"requestId":"[^"]*"/g, '')
      .replace(/"nextCursor":"[^"]*"/g, '"nextCursor":"MORE"')
      .replace(/"etag":"\\"\d+\\""/g, ''),
  )
}

test('a reader is shown nothing of what is hidden in a request', async () => {
  const { client: reader, id } = await newPerson(admin, 'twin-reader')
  const rule = { read: [], write: 'inherit' }
  for (const space of ['twin-a', 'twin-b']) {
    await admin.space(space, { visibility: 'private' })
    assertStatus(await admin.call('PUT', `/spaces/${space}/members/${id}`, { json: { role: 'viewer' } }), 201)
    const images = '![](secret/f.png) ![](secret/new.png) ![](shown.png) ![](f2.png)'
    const hub = `${PAGES.hub}[s](./secret/s) [n](./secret/n) [m](./m)\n\n${images}\n`
    assertStatus(await putBytes(admin, `/files/${space}/f2.png`, await png(2, 2)), 201)
    await fill(admin, space, { ...PAGES, hub, m: '# M\n\n[s](./secret/s) [hub](./hub)\n' })
    assertStatus(await admin.call('PUT', `/spaces/${space}/rules/secret`, { json: rule }), 201)
    const cr = await propose(admin, space)
    if (space !== 'twin-a') continue
    const one = { 'if-match': '"1"' }
    const at = (path: string) => `/pages/${space}/${path}`
    await fill(admin, space, {
      'secret/s': '# S\n\n[hub](../hub) [gone](../gone) [wanted](../wanted) [x](../x)\n',
      'secret/t': '# T\n\n[hub](../hub) [never](../never)\n',
      'secret/u': '# U\n\n[old](../old)\n',
    })
    assertStatus(await admin.put(`${at('secret/n')}?${cr}`, '# N\n\n[hub](../hub) [edited](../edited)\n'), 202)
    assertStatus(await admin.put(`${at('secret/t')}?${cr}`, '# T2\n\n[beside](../beside)\n', one), 202)
    assertStatus(await admin.delete(`${at('secret/u')}?${cr}`, one), 202)
    assertStatus(await admin.post(`${at('secret/s')}/move?${cr}`, { to: { path: 'shown' } }, one), 202)
    assertStatus(await admin.post(`${at('m')}/move?${cr}`, { to: { path: 'secret/m' } }, one), 202)
    const file = (path: string) => `/files/${space}/${path}`
    for (const name of ['f.png', 'gone.png', 'moved.png']) {
      assertStatus(await putBytes(admin, file(`secret/${name}`), await png(3, 3)), 201)
    }
    assertStatus(await admin.put(`${file('secret/new.png')}?${cr}`, 'bytes'), 202)
    assertStatus(await admin.put(`${file('secret/f.png')}?${cr}`, 'bytes', one), 202)
    assertStatus(await admin.delete(`${file('secret/gone.png')}?${cr}`, one), 202)
    assertStatus(await admin.post(`${file('secret/moved.png')}/move?${cr}`, { to: { path: 'shown.png' } }, one), 202)
  }
  const cr = 'changeRequest=1'
  assert.deepEqual(await readAll(reader, 'twin-a', cr), await readAll(reader, 'twin-b', cr))
  assert.notDeepEqual(await readAll(admin, 'twin-a', cr), await readAll(admin, 'twin-b', cr))
})

test('a page of backlinks continues where the one before ends', async () => {
  await admin.space('l2')
  await fill(admin, 'l2', { target: 'T', a: '[t](./target)', b: '[t](./target)', c: '[t](./target)', d: 'none' })
  const { json } = assertStatus(
    await admin.put('/pages/l2/d?changeRequest=new&title=More', '[t](./target)', { 'if-match': '"1"' }),
    202,
  )
  const cr = `changeRequest=${json.changeRequest.number}`
  assertStatus(await admin.put(`/pages/l2/aa?${cr}`, '[t](./target)'), 202)
  assertStatus(await admin.put(`/pages/l2/b?${cr}`, 'none', { 'if-match': '"1"' }), 202)
  const paths: string[] = []
  for (let cursor = ''; ; ) {
    const { json: links } = assertStatus(await admin.get(`/pages/l2/target/links?${cr}&limit=1${cursor}`), 200)
    paths.push(...links.backlinks.map(({ path }: { path: string }) => path))
    if (links.nextCursor === null) break
    cursor = `&cursor=${encodeURIComponent(links.nextCursor)}`
  }
  assert.deepEqual(paths, ['a', 'aa', 'c', 'd'])
  assertProblem(await admin.get(`/pages/l2/target/links?${cr}&depth=1`), 400, 'change_request_not_supported')
})

test('a hidden page or file that a request moves to an address hides nothing that is there', async () => {
  await admin.space('l7')
  const { client: reader } = await newPerson(admin, 'l7-reader')
  const one = { 'if-match': '"1"' }
  const hides = { read: [], write: 'inherit' }
  assertStatus(await admin.call('PUT', '/spaces/l7/rules/hidden', { json: hides }), 201)
  await fill(admin, 'l7', { 'hidden/a': '# Hidden', c: '# C', b: '# B' })
  assertStatus(await admin.put('/files/l7/hidden/a.txt', 'hidden'), 201)
  const to = { to: { path: 'taken' } }
  assertStatus(await admin.post('/pages/l7/hidden/a/move?changeRequest=new&title=More', to, one), 202)
  assertStatus(await admin.post('/files/l7/hidden/a.txt/move?changeRequest=1', { to: { path: 't.txt' } }, one), 202)
  for (const path of ['c', 'b'])
    assertStatus(await admin.put(`/pages/l7/${path}?changeRequest=1`, `# ${path}`, one), 202)
  await fill(admin, 'l7', { taken: '# Taken' })
  assertStatus(await admin.put('/files/l7/t.txt', 'there'), 201)
  const { text } = assertStatus(await reader.get('/pages/l7/taken?changeRequest=1', { accept: 'text/markdown' }), 200)
  assert.equal(text, '# Taken')
  assert.equal(assertStatus(await reader.get('/files/l7/t.txt?changeRequest=1'), 200).text, 'there')
  assertStatus(await admin.get('/files/l7/t.txt?changeRequest=1'), 200)
  // The changed pages are in the order of their paths.
  const tree = assertStatus(await reader.get('/fragments/tree/l7?changeRequest=1', { accept: 'text/html' }), 200).text
  assert.deepEqual(
    Array.from(tree.split('</ul>')[0]?.matchAll(/pages\/l7\/(\w+)/g) ?? [], ([, path]) => path),
    ['b', 'c'],
  )
})
