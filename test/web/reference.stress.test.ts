import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

let service: Service
let browser: Browser
before(async () => {
  service = await startService()
  browser = await startBrowser()
  await service.admin.space('docs')
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

test('the screen of an operation sends it with the session of the reader, and shows the response', async () => {
  const { page, open, complaints } = await newVisitor(browser, service)
  await open('/docs')
  await page.getByRole('link', { name: 'PUT /pages/:space/:path', exact: true }).click()
  await page.waitForURL('**/docs/pages.put')
  await page.getByLabel('space path').fill('docs')
  await page.getByLabel('path path').fill('guide/start')
  const response = page.getByRole('region', { name: 'Response', exact: true })
  await page.getByRole('button', { name: 'Send' }).click()
  await response.getByRole('heading', { name: '201' }).waitFor()
  assert.match(String(await response.textContent()), /etag: "1"/)
  assert.match(String(await response.textContent()), /"note": "First draft"/)
  const written = await service.admin.page('/pages/docs/guide/start')
  assert.match(written.json.body, /^# Getting started/)
  await page.getByRole('button', { name: 'Send' }).click()
  await response.getByRole('heading', { name: '428' }).waitFor()
  assert.match(String(await response.textContent()), /precondition_required/)
  await page.goto(`${service.app.address}/docs/pages.putMarkdown`)
  await page.getByLabel('space path').fill('docs')
  await page.getByLabel('path path').fill('guide/start')
  await page.getByLabel('if-match header').fill('"1"')
  await page.locator('#body').fill('# Changed\n')
  await page.getByRole('button', { name: 'Send' }).click()
  await response.getByRole('heading', { name: '200' }).waitFor()
  assert.equal((await service.admin.get('/pages/docs/guide/start.md')).text, '# Changed\n')
  assert.deepEqual(
    complaints.filter((text) => !/428/.test(text)),
    [],
  )
})

test('without a session the response is 401, with a link to sign in', async () => {
  const page = await browser.newPage()
  await page.goto(`${service.app.address}/docs/spaces.create`)
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('heading', { name: '401' }).waitFor()
  assert.ok(await page.getByRole('main').getByRole('link', { name: 'Sign in' }).isVisible())
  await page.close()
})
