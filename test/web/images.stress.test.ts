import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { axeFindings } from '../support/axe.ts'
import { startBrowser } from '../support/browser.ts'
import { assertStatus, type Client } from '../support/client.ts'
import { png, putBytes } from '../support/files.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

let service: Service
let browser: Browser
let admin: Client
before(async () => {
  ;[service, browser] = await Promise.all([startService(), startBrowser()])
  admin = service.admin
  await admin.space('docs', { name: 'Handbook' })
  assertStatus(await putBytes(admin, '/files/docs/a.png', png(800, 600)), 201)
  assertStatus(await putBytes(admin, '/files/docs/b.png', png(40, 30, 9)), 201)
  assertStatus(
    await admin.put('/pages/docs/album', '# Album\n\n![One](a.png)\n\n![](b.png)\n\n![Late](late.png)\n'),
    201,
  )
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

test('an image is shown large by keyboard and by a click, and the focus comes back', async () => {
  const { page, open, complaints } = await newVisitor(browser, service)
  await open('/pages/docs/album')
  const link = page.getByRole('link', { name: 'One' })
  await link.focus()
  await page.keyboard.press('Enter')
  const viewer = page.getByRole('dialog', { name: 'Image' })
  await viewer.locator('img[alt="One"]').waitFor()
  await viewer.getByText('One · 1 of 2').waitFor()
  assert.deepEqual(await axeFindings(page), [])
  await page.keyboard.press('ArrowRight')
  await viewer.locator('img[src$="/files/docs/b.png"]').waitFor()
  await viewer.getByRole('button', { name: 'Next' }).click()
  await viewer.locator('img[alt="One"]').waitFor()
  await page.keyboard.press('Escape')
  await viewer.waitFor({ state: 'detached' })
  assert.equal(await link.evaluate((element) => element === document.activeElement), true)
  await page.locator('a.image').nth(1).click()
  await viewer.getByRole('button', { name: 'Close' }).click()
  await viewer.waitFor({ state: 'detached' })
  assert.equal(new URL(page.url()).pathname, '/pages/docs/album')
  assert.deepEqual(await axeFindings(page), [])
  assert.deepEqual(complaints, [])
})

test('the place of an image has its size and a colour until a smaller one is made', async () => {
  const { page, context } = await newVisitor(browser, service)
  const held = Promise.withResolvers<void>()
  await page.route(/a\.png\?width=/, async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto('/pages/docs/album', { waitUntil: 'domcontentloaded' })
  const image = page.locator('img[alt="One"]')
  const look = () => image.evaluate((element) => [getComputedStyle(element).backgroundColor, element.clientHeight])
  await page.locator('img.late[alt="One"]').waitFor()
  const [color, height] = await look()
  assert.ok(Number(height) > 100)
  assert.notEqual(color, 'rgba(0, 0, 0, 0)')
  held.resolve()
  await page.locator('img[alt="One"]:not(.late)').waitFor()
  assert.deepEqual(await look(), ['rgba(0, 0, 0, 0)', height])
  await context.close()
})

test('without script the link of an image opens the file', async () => {
  const { page, open } = await newVisitor(browser, service, { javaScriptEnabled: false })
  await open('/pages/docs/album')
  await page.getByRole('link', { name: 'One' }).click()
  await page.waitForURL('**/files/docs/a.png')
})

test('an editor uploads a missing file from the page; a reader only learns that it is missing', async () => {
  const reader = await newPerson(admin, 'Reader')
  const reading = await newVisitor(browser, service, { key: reader.client.key })
  await reading.open('/pages/docs/album')
  assert.equal(await reading.page.locator('span.missing-file').innerText(), 'Late (late.png)')
  assert.equal(await reading.page.locator('a[href^="/upload"]').count(), 0)
  const { page, open } = await newVisitor(browser, service, { javaScriptEnabled: false })
  await open('/pages/docs/album')
  await page.getByRole('link', { name: 'Late (late.png)' }).click()
  await page
    .getByLabel('File', { exact: true })
    .setInputFiles([{ name: 'other.png', mimeType: 'image/png', buffer: png(7, 5) }])
  await page.getByRole('button', { name: 'Upload' }).click()
  await page.waitForURL('**/pages/docs/album')
  await page.locator('img[alt="Late"][width="7"]').waitFor()
})

test('the files of a page are beside it', async () => {
  const { page, open } = await newVisitor(browser, service)
  await open('/pages/docs/album')
  const panel = page.getByRole('complementary', { name: 'About this page' })
  await panel.getByRole('link', { name: 'b.png' }).click()
  await page.waitForURL('**/file/docs/b.png')
  await page.getByRole('heading', { name: 'b.png' }).waitFor()
})
