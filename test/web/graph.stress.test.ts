import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
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
  await admin.space('docs', { name: 'Docs' })
  await admin.space('secret', { visibility: 'private' })
  for (const [path, body] of [
    ['docs/a', '# Page A\n\n[to b](./b) and [nowhere](./not/there) and [hidden](/pages/secret/s)'],
    ['docs/b', '# Page B\n\n[to c](./c)'],
    ['docs/c', '# `"><script>alert(1)</script>`\n'],
    ['secret/s', '# Secret source\n\n[a](/pages/docs/a)'],
  ]) {
    assertStatus(await admin.put(`/pages/${path}`, body ?? ''), 201)
  }
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

test('the graph can be browsed with the keyboard, including missing pages', async () => {
  const context = await signedIn(browser, service.admin.base, (await newPerson(service.admin, 'Ann')).key)
  context.setDefaultTimeout(10_000)
  const page = await context.newPage()
  await page.goto(`${service.admin.base}/pages/docs/a`)
  await page.getByRole('link', { name: 'Links', exact: true }).click()
  const graph = page.getByRole('group', { name: 'Pages that link to Page A' })
  assert.equal(await graph.locator('a.node').count(), 3)
  assert.equal(await graph.locator('g.unknown').count(), 1)
  await graph.locator('a.node', { hasText: 'Page B' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/graph/docs/b?depth=1')
  await page.getByRole('link', { name: '2', exact: true }).click()
  const labels = await page.locator('.graph text').allInnerTexts()
  assert.equal(labels.length, 5)
  await page.locator('a.node.absent').focus()
  assert.equal(await page.locator('a.node.absent').getAttribute('href'), '/pages/docs/not/there')
  await context.close()
})

test('the lists match the graph, and hidden pages are not revealed', async () => {
  const bea = await newPerson(service.admin, 'Bea')
  const { text } = assertStatus(await bea.client.get('/graph/docs/a?depth=3', { accept: 'text/html' }), 200)
  assert.doesNotMatch(text, /Secret source/)
  assert.match(text, /No pages link here/)
  assert.match(text, /<a class="missing" href="\/pages\/docs\/not\/there">not\/there<\/a>/)
  assert.doesNotMatch(text, /<script>alert/)
  const own = await service.admin.get('/graph/docs/a', { accept: 'text/html' })
  assert.match(own.text, /Secret source/)
  // Who may write is led to making the page.
  assert.match(own.text, /<a class="missing" href="\/new\/docs\?path=not%2Fthere">not\/there<\/a>/)
  assertStatus(await bea.client.get('/graph/secret/s', { accept: 'text/html' }), 404)
  assertStatus(await service.admin.get('/graph/docs/a?depth=4', { accept: 'text/html' }), 400)
})
