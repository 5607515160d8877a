import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { treeFragmentUrl } from '../../src/web/urls.ts'
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

test('the tree is used by keyboard alone, and filtered', async () => {
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
