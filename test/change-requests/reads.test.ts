import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Answer, assertProblem, assertStatus, type Client } from '../support/client.ts'
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
