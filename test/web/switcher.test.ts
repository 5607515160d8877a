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
  await service.admin.space('docs', { name: 'Docs' })
  for (const [path, title] of [
    ['guide', 'The guide'],
    ['x', 'Old `<img src=x onerror=alert(1)>` deploy'],
    ['deploy', 'Deployment'],
  ]) {
    assertStatus(await service.admin.put(`/pages/docs/${path}`, `# ${title}`), 201)
  }
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

test('the page switcher opens a page by the start of its title, with the keyboard only', async () => {
  const context = await signedIn(browser, service.admin.base, (await newPerson(service.admin, 'Ann')).key)
  context.setDefaultTimeout(10_000)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('dialog', (dialog) => faults.push(dialog.message()))
  page.on('pageerror', (error) => faults.push(error.message))
  await page.goto(`${service.admin.base}/pages/docs/guide`)
  await page.keyboard.press('Control+k')
  const box = page.getByRole('combobox', { name: 'Title or path' })
  await box.waitFor()
  await box.fill('depl')
  await page.locator('.switcher li:nth-child(2):last-child').waitFor()
  assert.equal(await box.getAttribute('aria-activedescendant'), 'switcher-0')
  await page.keyboard.press('ArrowDown')
  assert.equal(await page.getByRole('option').nth(1).getAttribute('aria-selected'), 'true')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/pages/docs/deploy')

  await page.getByRole('button', { name: 'Go to a page' }).click()
  await page.getByRole('option', { name: 'The guide' }).waitFor()
  assert.match(await page.getByRole('option').first().innerText(), /The guide/)
  await page.keyboard.press('Escape')
  assert.equal(await page.locator('dialog.switcher').isVisible(), false)

  await page.keyboard.press('Control+k')
  await box.fill('no such title')
  await page.getByText('No page with that title').waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/find?q=no%20such%20title')
  assert.deepEqual(faults, [])
  await page.goto(`${service.admin.base}/sign-in`)
  assert.equal(await page.evaluate(() => localStorage.getItem('recto.visited')), null)
  await context.close()
})
