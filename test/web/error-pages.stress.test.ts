import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { APIResponse, Browser } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

let service: Service
let browser: Browser
before(async () => {
  service = await startService()
  browser = await startBrowser()
  const { admin } = service
  await admin.space('docs')
  await admin.write('docs/kept', '# Kept')
  await admin.write('docs/gone', '# Gone')
  assertStatus(await admin.delete('/pages/docs/gone', { 'if-match': '*' }), 204)
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

test('missing, deleted and forbidden pages are explained in HTML with a way on', async () => {
  const { page, complaints } = await newVisitor(browser, service)
  const statusAt = async (path: string) => (await page.goto(path))?.status()
  assert.equal(await statusAt('/pages/docs/nowhere'), 404)
  await page.getByRole('link', { name: 'Create this page' }).click()
  await page.waitForURL('**/new/docs?path=nowhere')
  assert.equal(await statusAt('/pages/docs/kept?version=9'), 404)
  await page.getByRole('link', { name: 'Open the latest version' }).click()
  await page.getByRole('heading', { name: 'Kept' }).waitFor()
  assert.equal(await statusAt('/pages/docs/gone'), 410)
  await page.getByRole('button', { name: 'Restore page' }).waitFor()
  const ann = await newPerson(service.admin, 'Ann')
  const other = await newVisitor(browser, service, { key: ann.key })
  assert.equal((await other.page.goto('/manage/people'))?.status(), 403)
  await other.page.getByText('You are signed in as Ann.').waitFor()
  await other.page.getByRole('banner').getByRole('searchbox').waitFor()
  assert.deepEqual(complaints, [])
})

test('a browser that sends no Fetch Metadata, as over plain HTTP, gets error pages, and programs get JSON', async () => {
  const { context } = await newVisitor(browser, service)
  const typeOf = (answer: APIResponse) => `${answer.status()} ${answer.headers()['content-type']?.split(';')[0]}`
  const get = async (path: string, headers: Record<string, string>) =>
    typeOf(await context.request.get(path, { headers }))
  assert.equal(await get('/pages/docs/nowhere', HTML), '404 text/html')
  assert.equal(await get('/nowhere', HTML), '404 text/html')
  assert.equal(await get('/pages/docs/gone', HTML), '410 text/html')
  assert.equal(await get('/pages/docs/nowhere', { accept: '*/*' }), '404 application/problem+json')
  assert.equal(await get('/pages/docs/nowhere', { ...HTML, 'sec-fetch-mode': 'cors' }), '404 application/problem+json')
  const authorization = `Bearer ${service.admin.key}`
  assert.equal(await get('/pages/docs/nowhere', { ...HTML, authorization }), '404 application/problem+json')
  const form = { body: 'a'.repeat(9_000_000) }
  const large = await context.request.post('/edit/docs/kept', { form, headers: HTML })
  assert.equal(typeOf(large), '413 text/html')
  assert.match(await large.text(), /Nothing was saved\. Go back/)
})

test('a browser with too many requests is told in HTML to wait', async () => {
  await using limited = await startService({ SVC_RATE_LIMIT: '20' })
  const { page } = await newVisitor(browser, limited)
  for (let left = 40; left > 0; left--) {
    if ((await page.goto('/account'))?.status() === 429) break
  }
  await page.getByRole('heading', { name: 'Too many requests' }).waitFor()
  await page.getByText(/Wait \d+ seconds, then try again\./).waitFor()
  await page.getByRole('link', { name: 'Try again' }).waitFor()
})
