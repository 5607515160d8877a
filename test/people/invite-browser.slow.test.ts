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

test('a guest is invited to a folder by the form of the organisation, in one step', async () => {
  assertStatus(await service.admin.put('/pages/docs/clients/acme', '# Acme'), 201)
  await service.admin.space('other', { name: 'Other' })
  const { page, open } = await newVisitor(browser, service)
  await open('/manage/invitations')
  const invite = () => page.getByRole('button', { name: 'Invite', exact: true }).click()
  await page.getByLabel('E-mail address').fill('gina@example.org')
  await page.getByLabel('Folder').fill('clients')
  await page.getByLabel('Role in the organisation').selectOption('guest')
  for (const name of ['Docs', 'Other']) await page.getByRole('checkbox', { name }).check()
  await invite()
  assert.match(await page.getByRole('alert').innerText(), /A folder is in one space/)
  assert.equal(await page.getByLabel('Folder').inputValue(), 'clients')
  await page.getByRole('checkbox', { name: 'Other' }).uncheck()
  await page.getByLabel('Role in these spaces').selectOption('admin')
  await invite()
  assert.match(await page.getByRole('alert').innerText(), /A folder has no admins/)
  await page.getByLabel('Role in these spaces').selectOption('viewer')
  await page.getByLabel('Role in the organisation').selectOption('member')
  await invite()
  assert.match(await page.getByRole('alert').innerText(), /Only guests are invited to a folder/)
  await page.getByLabel('Role in the organisation').selectOption('guest')
  await invite()
  const link = await page.locator('#secret').innerText()
  assert.match(await page.getByRole('main').innerText(), /docs\/clients \(viewer\)/)

  const guest = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
  await guest.goto(link)
  await guest.getByLabel('Your name').fill('Gina')
  await guest.getByLabel('Password').fill('quartz lantern vivid moss')
  await guest.getByRole('button', { name: 'Join', exact: true }).click()
  for (const [path, status] of [
    ['clients/acme', 200],
    ['start', 404],
  ] as const) {
    assert.equal((await guest.goto(`${service.app.address}/pages/docs/${path}`))?.status(), status)
  }
})
