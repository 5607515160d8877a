import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContext } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { signedIn } from '../support/signed-in.ts'

let service: Service
let browser: Browser
let ann: BrowserContext
const SOURCE = '# Source\r\n\r\nSee [the **guide**](./realese "T") and [it](./realese#part), `[no](./realese)`.\r\n'
before(async () => {
  service = await startService()
  browser = await startBrowser()
  const { admin } = service
  await admin.space('docs', { name: 'Docs', defaultRole: 'editor' })
  for (const [path, body] of [
    ['source', SOURCE],
    ['second', '[other](./realese) [<b>x</b>](./missing/page)'],
    ['release', '# Release'],
    ['alone', '# Alone [and](./x) `<script>alert(1)</script>`'],
  ]) {
    assertStatus(await admin.put(`/pages/docs/${path}`, body ?? ''), 201)
  }
  ann = await signedIn(browser, admin.base, (await newPerson(admin, 'Ann')).key, { javaScriptEnabled: false })
  ann.setDefaultTimeout(10_000)
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

const html = { accept: 'text/html' }
const body = async (path: string) => (await service.admin.get(`/pages/docs/${path}.md`)).text

test('a broken link is pointed to the most similar page, leaving other bytes unchanged', async () => {
  const page = await ann.newPage()
  await page.goto(`${service.admin.base}/browse/docs`)
  await page.getByRole('link', { name: 'Reports' }).click()
  const row = page
    .getByRole('listitem')
    .filter({ hasText: 'line 3' })
    .filter({ has: page.getByRole('button') })
  assert.equal(await row.getByLabel('Page to link to').first().inputValue(), 'release')
  await row.getByRole('button', { name: 'Point the link here' }).first().click()
  assert.match(await page.getByRole('status').innerText(), /now points to the page/)
  const expected = SOURCE.replace('(./realese "T")', '(./release "T")').replace('./realese#part', './release#part')
  assert.equal(await body('source'), expected)
  const [latest] = (await service.admin.get('/pages/docs/source/versions')).json.items
  assert.deepEqual([latest.note, latest.createdBy.name], ['Links to docs/realese changed to docs/release', 'Ann'])
  await page.close()
})

test('removing a broken link keeps its text', async () => {
  const page = await ann.newPage()
  await page.goto(`${service.admin.base}/reports/docs`)
  await page.getByRole('button', { name: 'Remove the link of second to missing/page' }).click()
  assert.match(await page.getByRole('status').innerText(), /still there/)
  assert.equal(await body('second'), '[other](./realese) <b>x</b>')
  await page.close()
})

test('a missing page is created from the report, and errors are shown', async () => {
  const page = await ann.newPage()
  await page.goto(`${service.admin.base}/reports/docs`)
  const create = page.getByRole('link', { name: /Create this page.*realese/ })
  assert.equal(await create.getAttribute('href'), '/new/docs?path=realese')
  const field = page.getByLabel(/Page to link to instead of realese, in second/)
  await field.fill('no/such/page')
  await field.press('Enter')
  assert.match(await page.getByRole('alert').innerText(), /no page/i)
  assert.equal(await body('second'), '[other](./realese) <b>x</b>')
  await page.getByRole('link', { name: 'Wanted pages' }).click()
  assert.ok(await page.getByText('1 page links there').first().isVisible())
  await page.close()
})

test('an orphan can be linked from another page', async () => {
  const page = await ann.newPage()
  await page.goto(`${service.admin.base}/reports/docs?show=orphans`)
  await page.getByLabel('Page that should link to Alone').fill('release')
  await page.getByRole('listitem').filter({ hasText: 'Alone' }).getByRole('button', { name: 'Add the link' }).click()
  assert.match(await page.getByRole('status').innerText(), /now linked/)
  const links = (await service.admin.get('/pages/docs/release/links')).json.outbound
  assert.deepEqual(
    links.map((link: { path: string }) => link.path),
    ['alone'],
  )
  assert.ok((await body('release')).startsWith('# Release\n'))
  await page.close()
})

test('viewers cannot fix links, and titles are escaped', async () => {
  const reader = await newPerson(service.admin, 'Reader', { scopes: ['read'] })
  for (const show of ['broken', 'orphans', 'wanted']) {
    const { text } = assertStatus(await reader.client.get(`/reports/docs?show=${show}`, html), 200)
    assert.doesNotMatch(text, /<form[^>]*method="post"|<script>|<b>x/)
  }
  const answer = await reader.client.post('/reports/docs', { act: 'remove', source: 'second', path: 'realese' })
  assert.equal(answer.status, 403)
  assertStatus(await reader.client.get('/reports/nowhere', html), 404)
})
