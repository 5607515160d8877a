import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { axeFindings } from '../support/axe.ts'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { signedIn } from '../support/signed-in.ts'

let service: Service
let browser: Browser
before(async () => {
  service = await startService()
  browser = await startBrowser()
  const { admin } = service
  for (const slug of ['docs', 'other']) await admin.space(slug)
  for (const [path, body] of [
    ['docs/garden', '# Gardening <b>\n\n## Planting tomatoes\n\nTomatoes need light.'],
    ['docs/soil', '# Soil\n\nTomatoes like it.'],
    ['other/tomb', '# Tombstone\n\ntext'],
  ] as const)
    assertStatus(await admin.put(`/pages/${path}`, body), 201)
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

test('a search field suggests words, pages and headings, and is operated with the keyboard (ARIA combobox)', async () => {
  const { base } = service.admin
  const context = await signedIn(browser, base, (await newPerson(service.admin, 'Ann')).key)
  context.setDefaultTimeout(20_000)
  const page = await context.newPage()
  await page.goto(`${base}/pages/docs/soil`)
  const box = page.getByRole('combobox', { name: 'Search pages' })
  await page.getByLabel('Search pages').focus()
  await box.waitFor()
  await box.pressSequentially('need tom')
  const options = page.locator('.suggestions [role="option"]')
  await page.getByRole('option', { name: 'need tomatoes Search' }).waitFor()
  assert.equal(await options.count(), 1)
  await box.fill('tom')
  await page.getByRole('option', { name: 'Tombstone other' }).waitFor()
  const names = await options.allInnerTexts()
  assert.ok(names.includes('Tombstone other / tomb'), names.join())
  assert.ok(names.includes('Planting tomatoes docs / Gardening'), names.join())
  assert.deepEqual(
    [await box.getAttribute('aria-expanded'), await box.getAttribute('aria-activedescendant')],
    ['true', null],
  )
  assert.deepEqual(await axeFindings(page), [])
  await box.press('ArrowDown')
  const id = await options.first().getAttribute('id')
  assert.equal(await box.getAttribute('aria-activedescendant'), id)
  assert.equal(await options.first().getAttribute('aria-selected'), 'true')
  await box.press('ArrowUp')
  assert.equal(await box.getAttribute('aria-activedescendant'), null)
  await box.press('Escape')
  assert.deepEqual([await box.getAttribute('aria-expanded'), await box.inputValue()], ['false', 'tom'])
  await box.press('Enter')
  await page.waitForURL('**/find?q=tom')

  const field = page.getByRole('combobox', { name: 'Search text' })
  await page.getByLabel('Search text').focus()
  await page.getByLabel('Space', { exact: true }).selectOption('other')
  await field.fill('tomb')
  await page.getByRole('option', { name: 'Tombstone other' }).waitFor()
  assert.ok((await options.allInnerTexts()).every((name) => !name.includes('docs')))
  await field.press('ArrowUp')
  await field.press('Enter')
  await page.waitForURL('**/pages/other/tomb')
  await context.close()
})

test('the heading of a search result is isolated from the direction of its line', async () => {
  const { admin } = service
  const at = `/pages/docs/${encodeURIComponent('دليل')}`
  assertStatus(await admin.put(at, '# guide\n\n## القسم 1\n\nكلمة'), 201)
  const { text } = assertStatus(await admin.get(`/find?q=${encodeURIComponent('كلمة')}`, { accept: 'text/html' }), 200)
  assert.match(text, /\/ <bdi>دليل<\/bdi> › <bdi>القسم 1<\/bdi> ·/)
})

test('the search screen names a corrected or relaxed search, and links to the search as typed', async () => {
  const { admin } = service
  const screen = async (query: string) =>
    assertStatus(await admin.get(`/find?${query}`, { accept: 'text/html' }), 200).text
  const corrected = await screen('q=tomatoez+light')
  assert.match(corrected, /Results for <bdi><strong>tomatoes light<\/strong><\/bdi>/)
  assert.match(corrected, /<a href="\/find\?q=tomatoez\+light&amp;typed=1">/)
  assert.match(await screen('q=tomatoez+light&typed=1'), /No results/)
  const relaxed = await screen('q=tomatoes+light+zzzz')
  assert.match(relaxed, /No page has all words/)
  assert.match(relaxed, /typed=1/)
  assert.doesNotMatch(await screen('q=tomatoes'), /typed=1/)
})

test('the search screen says how many results there are, as far as it knows', async () => {
  const { admin } = service
  for (let n = 1; n <= 21; n++) assertStatus(await admin.put(`/pages/docs/plums/${n}`, `# Plum ${n}\n\nPlums.`), 201)
  assertStatus(await admin.put('/pages/docs/quinces', '# Quinces'), 201)
  const screen = async (query: string) =>
    assertStatus(await admin.get(`/find?${query}`, { accept: 'text/html' }), 200).text
  const many = await screen('q=plums')
  assert.match(many, />The first 20 results</)
  assert.match(await screen('q=quinces'), />1 result</)
  const next = /rel="next" href="([^"]+)"/.exec(many)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const rest = assertStatus(await admin.get(next, { accept: 'text/html' }), 200).text
  assert.doesNotMatch(rest, /results?<\/p>/)
})
