import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { axeFindings } from '../support/axe.ts'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { signedIn } from '../support/signed-in.ts'
import { newVisitor } from '../support/visitor.ts'

let service: Service
let browser: Browser
before(async () => {
  service = await startService()
  browser = await startBrowser()
  await service.admin.space('docs', { name: 'Docs' })
  await service.admin.space('field-notes', { name: 'Field notes' })
  for (const [path, body] of [
    ['guide', '# The guide\n\n## Watering schedule\n\nText.\n'],
    ['x', '# Old `<img src=x onerror=alert(1)>` deploy'],
    ['deploy', '# Deployment'],
  ] as const) {
    assertStatus(await service.admin.put(`/pages/docs/${path}`, body), 201)
  }
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

const NAME = 'Page, space, heading or command'

test('the command palette opens a page by the start of its title, with the keyboard only', async () => {
  const context = await signedIn(browser, service.admin.base, (await newPerson(service.admin, 'Ann')).key)
  context.setDefaultTimeout(10_000)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('dialog', (dialog) => faults.push(dialog.message()))
  page.on('pageerror', (error) => faults.push(error.message))
  await page.goto(`${service.admin.base}/pages/docs/guide`)
  await page.keyboard.press('Control+k')
  const box = page.getByRole('combobox', { name: NAME })
  await box.waitFor()
  await box.fill('depl')
  await page.locator('.palette li:nth-child(3):last-child').waitFor()
  assert.deepEqual(await page.getByRole('option').locator('.name').allInnerTexts(), [
    'Deployment',
    'Old <img src=x onerror=alert(1)> deploy',
    'depl',
  ])
  assert.equal(await box.getAttribute('aria-activedescendant'), 'palette-0')
  await page.keyboard.press('ArrowDown')
  assert.equal(await page.getByRole('option').nth(1).getAttribute('aria-selected'), 'true')
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/pages/docs/deploy')

  await page.getByRole('button', { name: 'Command palette' }).click()
  await page.getByRole('option', { name: 'The guide' }).waitFor()
  assert.match(await page.getByRole('option').first().innerText(), /The guide/)
  await page.keyboard.press('Escape')
  assert.equal(await page.locator('dialog.palette').isVisible(), false)

  await page.keyboard.press('Control+k')
  await box.fill('no such title')
  await page.getByText('Nothing has this name').waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/find?q=no%20such%20title')
  assert.deepEqual(faults, [])
  await page.goto(`${service.admin.base}/sign-in`)
  assert.equal(await page.evaluate(() => localStorage.getItem('recto.visited')), null)
  await context.close()
})

test('the command palette finds spaces, headings and commands, with letters left out', async () => {
  const { page, open, context, complaints } = await newVisitor(browser, service)
  await open('/pages/docs/guide')
  const box = page.getByRole('combobox', { name: NAME })
  const choose = async (typed: string, place: string, url: string) => {
    await page.keyboard.press('Control+k')
    await box.fill(typed)
    await page.locator('.palette [aria-selected="true"]', { hasText: place }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(url)
  }
  await choose('fild nots', 'Space', '**/browse/field-notes')
  await choose('watering', 'Heading in docs / The guide', '**/pages/docs/guide#user-content-watering-schedule')
  await choose('histry', 'Command', '**/history/docs/guide')
  await choose('> accou', 'Command', '**/account')
  await choose('temp', 'Command', '**/gallery')
  await choose('inbo', 'Command', '**/inbox')
  await page.keyboard.press('Control+k')
  await page.getByRole('option', { name: 'The guide' }).waitFor()
  assert.deepEqual(await axeFindings(page), [])
  assert.deepEqual(complaints, [])
  await context.close()
})
