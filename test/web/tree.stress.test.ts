import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { treeFragmentUrl } from '../../packages/server/src/interfaces/web/urls.ts'
import { axeFindings } from '../support/axe.ts'
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

test('open folders share a bound of names; a large folder around the page has its own', async () => {
  const first = (count: number) => Array.from({ length: count }, (_, n) => `many/page ${n}`)
  assert.deepEqual(await pathsOf('large', { open: 'many' }), ['many', ...first(100), 'zebra'])
  const open = new URLSearchParams(['many', ...first(19)].map((path) => ['open', path]))
  const url = `${treeFragmentUrl('large')}?${open}`
  const { text } = assertStatus(await service.admin.get(url), 200)
  assert.equal([...text.matchAll(/<li data-path="many\/page/g)].length, 10)
  assert.match(text, /data-folder="many" data-after="page 9"/)
  const inside = assertStatus(await service.admin.get(`${url}&page=many/page+3`), 200)
  assert.equal([...inside.text.matchAll(/<li data-path="many\/page/g)].length, 100)
})

test('the tree scrolls to the page far down in it, and the window stays at its top', async () => {
  for (const [width, height] of [
    [1440, 900],
    [360, 740],
  ] as const) {
    const { page, open, context } = await newVisitor(browser, service, { viewport: { width, height } })
    await open('/pages/large/many/page%20250')
    if (width === 360) await page.getByRole('button', { name: 'Pages of this space' }).click()
    const present = treeOf(page).locator('[aria-current="page"]')
    await present.waitFor()
    const { y = -1 } = (await present.boundingBox()) ?? {}
    assert.ok(y > 100 && y < height - 28, `the page is at ${y} of ${height}`)
    assert.equal(await page.evaluate(() => scrollY), 0)
    // However far it is scrolled: no row is partly below the filter.
    for (let pixels = 0; pixels < 28; pixels += 7) {
      await treeOf(page)
        .locator('.tree-scroller')
        .evaluate((element) => element.scrollBy(0, 7))
      assert.deepEqual(await axeFindings(page), [], `${width} px wide, after ${pixels} px`)
    }
    await context.close()
  }
})

test('the tree can be used and filtered with the keyboard only', async () => {
  const { page, open } = await newVisitor(browser, service)
  await open('/pages/docs/guide')
  const tree = treeOf(page)
  const focused = () => page.evaluate(() => document.activeElement?.textContent)
  await tree.getByRole('link', { name: 'T guide', exact: true }).focus()
  for (const [key, text] of [
    ['ArrowDown', 'T guide/step 1'],
    ['ArrowDown', 'T guide/step 2'],
  ] as const) {
    await page.keyboard.press(key)
    assert.equal(await focused(), text)
  }
  await page.keyboard.press('ArrowRight')
  await tree.getByRole('link', { name: 'deep', exact: true }).waitFor()
  await page.keyboard.press('ArrowDown')
  assert.equal(await focused(), 'deep')
  await page.keyboard.press('ArrowLeft')
  assert.equal(await focused(), 'T guide/step 2')
  await page.keyboard.press('End')
  assert.equal(await focused(), 'notes')
  await page.keyboard.press('*')
  await tree.getByRole('link', { name: 'T notes/only below', exact: true }).waitFor()
  for (const [key, text] of [
    ['End', 'T notes/only below'],
    ['Home', 'T guide'],
    ['n', 'notes'],
    ['o', 'notes'],
  ] as const) {
    await page.keyboard.press(key)
    assert.equal(await focused(), text)
  }
  const filter = tree.getByRole('searchbox', { name: 'Filter pages' })
  await filter.fill('step 10')
  await tree.getByText('guide/step 10', { exact: true }).waitFor()
  await filter.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/pages/docs/guide/step%2010')
})

for (const width of [360, 768]) {
  test(`at ${width} pixels the tree is a drawer`, async () => {
    const { page, open } = await newVisitor(browser, service, { viewport: { width, height: 800 } })
    await open('/history/docs/guide')
    const tree = treeOf(page)
    assert.equal(await tree.isVisible(), false)
    await page.getByRole('button', { name: 'Pages of this space' }).press('Enter')
    await tree.getByRole('link', { name: 'T guide/step 1', exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await tree.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Pages of this space' }).click()
    await tree.getByRole('link', { name: 'T intro', exact: true }).click()
    await page.waitForURL('**/pages/docs/intro')
  })
}

test('pages are reordered by keys and by the menu, for everybody, and keep their order when their folder moves', async () => {
  await spaceOf('sorted', ['a/1', 'a/2', 'a/3', 'b'])
  const { page, open } = await newVisitor(browser, service)
  await open('/pages/sorted/a/3')
  const tree = treeOf(page)
  const status = tree.getByRole('status')
  await tree.getByRole('link', { name: 'T a/3', exact: true }).press('Alt+ArrowUp')
  await status.getByText('T a/3 now comes after T a/1.').waitFor()
  await tree.getByRole('link', { name: 'T a/3', exact: true }).press('Alt+ArrowUp')
  await status.getByText('T a/3 now comes first.').waitFor()
  assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'T a/3')
  await tree.getByRole('button', { name: 'Actions for T a/2' }).click()
  await page.getByRole('button', { name: 'Move up' }).click()
  await status.getByText('T a/2 now comes after T a/3.').waitFor()
  assert.deepEqual(await pathsOf('sorted', { folder: 'a' }), ['a/3', 'a/2', 'a/1'])
  const { json } = assertStatus(await service.admin.get('/spaces/sorted/order?folder=a'), 200)
  assert.deepEqual(json, { folder: 'a', names: ['3', '2', '1'] })
  const move = { path: 'a', to: { path: 'c' } }
  assertStatus(await service.admin.post('/spaces/sorted/move-folder', move), 200)
  assert.deepEqual(await pathsOf('sorted', { folder: 'c' }), ['c/3', 'c/2', 'c/1'])
  const natural = { folder: 'c', names: [] }
  assertStatus(await service.admin.call('PUT', '/spaces/sorted/order', { json: natural }), 200)
  assert.deepEqual(await pathsOf('sorted', { folder: 'c' }), ['c/1', 'c/2', 'c/3'])
})

test('a page is moved from its menu, and a folder from the tree, by touch, to a parent that is chosen', async () => {
  await spaceOf('choose', ['folder/one', 'goal', 'archive/old', 'moved', 'moved/below'])
  const viewport = { width: 375, height: 700 }
  const { page, open, complaints } = await newVisitor(browser, service, { viewport, hasTouch: true, isMobile: true })
  await open('/pages/choose/moved')
  const choose = async (words: string, name: string) => {
    await page.getByRole('combobox', { name: 'below which page?' }).fill(words)
    const options = page.locator('.palette [role=option]')
    await options.filter({ hasText: name }).first().waitFor()
    const names = await options.allInnerTexts()
    await options.filter({ hasText: name }).first().tap()
    await page.getByRole('button', { name: 'Move', exact: true }).tap()
    return names
  }
  await page.getByLabel('More actions').tap()
  await page.getByRole('link', { name: 'Move', exact: true }).tap()
  const names = await choose('arch', 'Folder archive')
  assert.ok(!names.some((name) => /moved|Top level/.test(name)), names.join())
  await page.waitForURL('**/pages/choose/archive/moved')
  await page.getByRole('button', { name: 'Undo' }).tap()
  await page.waitForURL('**/pages/choose/moved')
  await page.getByRole('button', { name: 'Pages of this space' }).tap()
  await treeOf(page).getByRole('button', { name: 'Actions for folder' }).tap()
  await page.locator('.tree-menu').getByRole('link', { name: 'Move', exact: true }).tap()
  await choose('goal', 'T goal')
  await page.getByText('was moved.').waitFor()
  assert.deepEqual(await pathsOf('choose', { folder: 'goal' }), ['goal/folder'])
  assert.deepEqual(await pathsOf('choose', { folder: 'moved' }), ['moved/below'])
  assert.deepEqual(complaints, [])
})
