import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { treeFragmentUrl } from '../../packages/server/src/interfaces/web/urls.ts'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

let service: Service
let browser: Browser
before(async () => {
  service = await startService()
  browser = await startBrowser()
  await spaceOf('docs', [
    'guide',
    'guide/step 1',
    'guide/step 2',
    'guide/step 10',
    'guide/step 2/deep/page',
    'notes/only below',
    'intro',
  ])
  const many = Array.from({ length: 330 }, (_, n) => `many/page ${n}`)
  await spaceOf('large', [...many, 'zebra', 'many/page 250/below'])
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

async function spaceOf(slug: string, paths: readonly string[]): Promise<void> {
  await service.admin.space(slug)
  const pages = paths.map((path) => ({ path, body: `# T ${path}` }))
  const space = { slug, name: slug, description: '' }
  const bundle = { format: 'page-bundle', formatVersion: 1, space, pages }
  assertStatus(await service.admin.post(`/spaces/${slug}/import`, bundle), 200)
}

/** The paths that a fragment of the tree shows, in their order. */
async function pathsOf(slug: string, query: Readonly<Record<string, string>>): Promise<string[]> {
  const url = `${treeFragmentUrl(slug)}?${new URLSearchParams(query)}`
  const { text } = assertStatus(await service.admin.get(url), 200)
  return [...text.matchAll(/<li data-path="([^"]*)"/g)].map(([, path = '']) => path)
}

const treeOf = (page: Page) => page.getByRole('navigation', { name: 'Pages of this space' })

test('the tree has the top level and the folders around the page, in natural order', async () => {
  assert.deepEqual(await pathsOf('docs', { page: 'guide/step 10' }), [
    ...['guide', 'guide/step 1', 'guide/step 2', 'guide/step 10', 'intro', 'notes'],
  ])
  assert.deepEqual(await pathsOf('docs', { page: 'not/there' }), ['guide', 'intro', 'notes'])
  assert.deepEqual(await pathsOf('docs', { folder: 'guide/step 2' }), ['guide/step 2/deep'])
})

test('the list of the pages of a space is in natural order, too', async () => {
  const { text } = assertStatus(await service.admin.get('/browse/docs?prefix=guide/', { accept: 'text/html' }), 200)
  const named = [...text.matchAll(/<span class="quiet">(step \d+)</g)].map(([, name]) => name)
  assert.deepEqual(named, ['step 1', 'step 2', 'step 10'])
})

test('a page beyond the first part of its folder is in its own tree, and the rest is loaded both ways', async () => {
  const around = await pathsOf('large', { page: 'many/page 250/below' })
  assert.ok(around.includes('many/page 250/below') && around.includes('zebra'))
  assert.equal(around[1], 'many/page 230')
  const all = Array.from({ length: 330 }, (_, n) => `many/page ${n}`)
  const before = await pathsOf('large', { folder: 'many', before: 'page 230' })
  assert.deepEqual(before, all.slice(130, 230))
  assert.deepEqual(await pathsOf('large', { folder: 'many', before: 'page 50' }), all.slice(0, 50))
  assert.deepEqual(await pathsOf('large', { folder: 'many', after: 'page 299' }), all.slice(300))
})

test('every screen of a page or folder shows the tree around it', async () => {
  const screens = 'pages edit history metadata graph icon move delete move-folder delete-folder'.split(' ')
  for (const url of [
    ...screens.map((screen) => `/${screen}/docs/guide`),
    '/upload/docs?page=guide',
    '/new/docs?parent=guide',
    '/new/docs?path=guide',
  ]) {
    const { text } = assertStatus(await service.admin.get(url, { accept: 'text/html' }), 200)
    assert.match(text, /id="page-tree"[^>]* data-page="guide"/, url)
  }
})

test('the tree and its filter show only spaces that the caller can read', async () => {
  await service.admin.space('hidden', { visibility: 'private' })
  const url = treeFragmentUrl('hidden')
  for (const path of [url, `${url}?folder=a`, `${url}?q=a`]) assertStatus(await service.nobody.get(path), 401)
  assertStatus(await service.admin.get(`${treeFragmentUrl('docs')}?folder=a&what=b`), 400)
})

test('folders open in place and stay open on other screens; the page is in view', async () => {
  const { page, open, complaints } = await newVisitor(browser, service)
  await open('/pages/docs/intro')
  const tree = treeOf(page)
  await tree.getByRole('button', { name: 'Pages in notes' }).click()
  await tree.getByRole('link', { name: 'T notes/only below', exact: true }).waitFor()
  assert.equal(await tree.locator('[aria-current="page"]').innerText(), 'T intro')
  await open('/settings/docs')
  await tree.getByRole('link', { name: 'T notes/only below', exact: true }).waitFor()
  await tree.getByRole('button', { name: 'Pages in notes' }).click()
  await tree.getByRole('link', { name: 'T notes/only below', exact: true }).waitFor({ state: 'hidden' })
  await open('/pages/large/many/page%20250')
  const current = tree.locator('[aria-current="page"]')
  await current.waitFor()
  await page.waitForFunction(() => {
    const box = document.querySelector('.page-tree [aria-current]')?.getBoundingClientRect()
    return box && box.top >= 0 && box.bottom <= innerHeight
  })
  await tree.getByRole('button', { name: 'Show earlier' }).click()
  await tree.getByRole('link', { name: 'T many/page 131', exact: true }).waitFor()
  assert.deepEqual(complaints, [])
})

test('the filter of the tree shows only pages with all that was typed, and similar ones if there are none', async () => {
  const found = async (q: string) => {
    const { text } = assertStatus(
      await service.admin.get(`${treeFragmentUrl('docs')}?${new URLSearchParams({ q })}`),
      200,
    )
    return [...text.matchAll(/<span class="quiet">([^<]*)</g)].map(([, path]) => path)
  }
  assert.deepEqual(await found('step 10'), ['guide/step 10'])
  assert.ok((await found('guide step 7')).includes('guide/step 10'))
})

test('every item of the menu of a row can be clicked; a folder without a page is deleted by it', async () => {
  await spaceOf('menus', ['folder/page', 'last'])
  for (const [width, height] of [
    [360, 640],
    [1440, 500],
  ] as const) {
    const { page, open } = await newVisitor(browser, service, { viewport: { width, height } })
    await open('/pages/menus/last')
    if (width === 360) await page.getByRole('button', { name: 'Pages of this space' }).click()
    await treeOf(page).getByRole('button', { name: 'Actions for folder' }).click()
    const menu = page.locator('.tree-menu')
    for (const name of ['Move up', 'Move down', 'Move', 'Change path', 'Delete']) {
      await menu.getByText(name, { exact: true }).click({ trial: true })
    }
    if (width === 360) continue
    await menu.getByRole('link', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Move to trash' }).click()
    await treeOf(page).getByText('T last').waitFor()
    assert.deepEqual(await pathsOf('menus', {}), ['last'])
  }
})

test('a page dragged into a folder moves after the dry run was shown, and back by Undo', async () => {
  await spaceOf('drag', ['folder/one', 'folder/two', 'moved', 'reader'])
  assertStatus(await service.admin.put('/pages/drag/links', 'See [it](./moved).'), 201)
  const { page, open, complaints } = await newVisitor(browser, service)
  await open('/pages/drag/reader')
  const tree = treeOf(page)
  const row = (path: string) => tree.locator(`li[data-path="${path}"] > .row`)
  await row('moved').dragTo(row('folder'))
  const dialog = page.getByRole('dialog', { name: 'Move T moved into folder?' })
  await dialog.getByText('1 page moves. 1 page gets a new version with changed links.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  assertStatus(await service.admin.page('/pages/drag/moved'), 200)
  await row('moved').dragTo(row('folder'))
  await dialog.getByRole('button', { name: 'Move', exact: true }).click()
  await tree.getByText('T moved was moved.').waitFor()
  assertStatus(await service.admin.page('/pages/drag/folder/moved'), 200)
  await row('folder/moved').waitFor()
  await tree.getByRole('button', { name: 'Undo' }).click()
  await tree.getByText('T moved is back.').waitFor()
  assertStatus(await service.admin.page('/pages/drag/moved'), 200)
  // Upon the edge of a sibling it changes places.
  const box = await row('links').boundingBox()
  await row('reader').dragTo(row('links'), { targetPosition: { x: 40, y: 2 } })
  await tree.getByText('T reader now comes after folder.').waitFor()
  assert.ok(box)
  assert.deepEqual(await pathsOf('drag', {}), ['folder', 'reader', 'links', 'moved'])
  // The page that is read is opened at its new address, where Undo is offered, too.
  await row('reader').dragTo(row('folder'))
  await page.getByRole('dialog').getByRole('button', { name: 'Move', exact: true }).click()
  await page.waitForURL('**/pages/drag/folder/reader')
  await page.locator('.message').getByText('was moved.').waitFor()
  await page.locator('.message').getByRole('button', { name: 'Undo' }).click()
  await page.waitForURL('**/pages/drag/reader')
  assertStatus(await service.admin.page('/pages/drag/reader'), 200)
  assert.deepEqual(complaints, [])
})

test('an invalid order is rejected and changes nothing', async () => {
  await spaceOf('bounds', ['a', 'b/c', ...Array.from({ length: 1_100 }, (_, n) => `many/${n}`)])
  const order = (json: object) => service.admin.post('/spaces/bounds/order', json)
  assertStatus(await order({ path: 'nope', after: null }), 404)
  for (const json of [
    { path: 'a', after: 'a' },
    { path: 'a', after: 'c' },
    { path: 'many/1', after: '1050' },
    { path: 'a//b', after: null },
  ]) {
    assertStatus(await order(json), 400)
  }
  const far = await order({ path: 'many/1', after: '1050' })
  assert.equal(far.json.detail, 'Only the first 1000 names of a folder can be put in order by hand.')
  const twice = { folder: '', names: ['a', 'a'] }
  assertStatus(await service.admin.call('PUT', '/spaces/bounds/order', { json: twice }), 400)
  assert.deepEqual((await service.admin.get('/spaces/bounds/order')).json, { folder: '', names: [] })
  assertStatus(await order({ path: 'many/1050', after: '3' }), 200)
  const at = await pathsOf('bounds', { folder: 'many' })
  assert.deepEqual(at.slice(3, 6), ['many/3', 'many/1050', 'many/4'])
  const all = await Promise.all(['a', 'b', 'many'].map((path) => order({ path, after: null })))
  for (const answer of all) assertStatus(answer, 200)
  assert.equal((await service.admin.get('/spaces/bounds/order')).json.names.length, 3)
})
