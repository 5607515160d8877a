import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

let service: Service
let browser: Browser
before(async () => {
  service = await startService()
  browser = await startBrowser()
  await service.admin.space('docs', { name: 'Docs', visibility: 'private' })
  assertStatus(await service.admin.put('/pages/docs/start', '# Start here'), 201)
})
after(async () => {
  await browser.close()
  await service[Symbol.asyncDispose]()
})

/** Clicks, and counts. */
function clicks(page: Page) {
  let count = 0
  return {
    get count() {
      return count
    },
    async on(role: 'link' | 'button', name: string): Promise<void> {
      count += 1
      await page.getByRole(role, { name, exact: true }).first().click()
    },
  }
}

test('inviting a colleague who reads a first page takes four clicks of the admin and three of the colleague', async () => {
  const { page, open } = await newVisitor(browser, service)
  await open('/')
  const admin = clicks(page)
  await admin.on('link', 'Invite people')
  await page.getByLabel('E-mail address').fill('gil@example.org')
  await admin.on('button', 'Invite')
  const link = await page.locator('#secret').innerText()
  await admin.on('button', 'Copy')
  assert.ok(admin.count <= 4)

  const context = await browser.newContext({ javaScriptEnabled: false })
  const guest = await context.newPage()
  // Opening the link in the message is the first click.
  await guest.goto(link)
  const colleague = clicks(guest)
  await guest.getByLabel('Your name').fill('Gil')
  await guest.getByLabel('Password').fill('quartz lantern vivid moss')
  await colleague.on('button', 'Join')
  await colleague.on('link', 'Start here')
  assert.equal(new URL(guest.url()).pathname, '/pages/docs/start')
  assert.ok(1 + colleague.count <= 3)

  await guest.goto(`${service.app.address}/account`)
  await guest.locator('#name').fill('Gil Guest')
  await guest.getByRole('button', { name: 'Save', exact: true }).click()
  assert.match(await guest.getByRole('status').innerText(), /name was saved/)
  assert.equal(await guest.locator('h1').innerText(), 'Gil Guest')
})
