import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

const PASSWORD = 'quartz lantern vivid moss'
const DARK = 'rgb(21, 25, 23)'
const LIGHT = 'rgb(253, 253, 251)'

let service: Service
let browser: Browser
before(async () => {
  service = await startService()
  browser = await startBrowser()
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

async function joined(email: string, page: Page): Promise<void> {
  const { url } = assertStatus(await service.admin.post('/admin/invitations', { email }), 201).json
  await page.goto(url)
  await page.getByLabel('Your name').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Join', exact: true }).click()
  await page.getByRole('heading', { name: 'Next steps' }).waitFor()
}

const paper = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor)

test('the appearance is kept for the person, and applies before there is anything to paint', async () => {
  const context = await browser.newContext({ colorScheme: 'light' })
  const page = await context.newPage()
  await joined('uma@example.org', page)
  assert.equal(await paper(page), LIGHT)
  await page.goto(`${service.app.address}/account#screens-heading`)
  await page.getByLabel('Colours').selectOption('dark')
  await page.getByRole('button', { name: 'Save the screens' }).click()
  await page.getByText('Your screens were saved.').waitFor()
  assert.equal(await page.getByLabel('Colours').inputValue(), 'dark')
  // What the document is when its body begins.
  await page.addInitScript(() => {
    const observer = new MutationObserver(() => {
      if (!document.body) return
      observer.disconnect()
      Object.assign(window, { atFirst: document.documentElement.dataset.appearance })
    })
    observer.observe(document, { childList: true, subtree: true })
  })
  await page.goto(`${service.app.address}/`)
  assert.equal(await page.evaluate('window.atFirst'), 'dark')
  assert.equal(await paper(page), DARK)

  // In another browser after the sign-in, though its system is light.
  const elsewhere = await browser.newContext({ colorScheme: 'light' })
  const other = await elsewhere.newPage()
  const signIn = async (email: string) => {
    await other.goto(`${service.app.address}/sign-in`)
    await other.getByLabel('E-mail address').fill(email)
    await other.getByLabel('Password').fill(PASSWORD)
    await other.getByRole('button', { name: 'Sign in', exact: true }).click()
    await other.waitForURL(`${service.app.address}/`)
  }
  await signIn('uma@example.org')
  assert.equal(await paper(other), DARK)
  // Another person in that browser has an own choice.
  await elsewhere.clearCookies({ name: 'svc_session' })
  await joined('vic@example.org', other)
  assert.equal(await paper(other), LIGHT)
  await context.close()
  await elsewhere.close()
})
