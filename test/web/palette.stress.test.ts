import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Service, startService } from '../support/service.ts'
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

test('the command palette narrows by space and by the operators of the search', async () => {
  const { page, open, context, complaints } = await newVisitor(browser, service)
  await open('/pages/docs/guide')
  await page.keyboard.press('Control+k')
  const box = page.getByRole('combobox', { name: NAME })
  const names = page.getByRole('option').locator('.name')
  const offers = async (typed: string, expected: readonly string[]) => {
    await box.fill(typed)
    await until(async () => (await names.allInnerTexts()).join() === [...expected, typed].join())
  }
  await offers('in:docs depl', ['Deployment', 'Old <img src=x onerror=alert(1)> deploy'])
  await offers('in:field-notes depl', [])
  await offers('in:nowhere depl', [])
  await offers('title:guide by:admin', ['The guide'])
  await offers('docs guide', ['The guide'])
  await box.fill('> ')
  await page.getByRole('option', { name: 'History' }).waitFor()
  assert.deepEqual(
    new Set(await page.getByRole('option').locator('.quiet').allInnerTexts()),
    new Set(['Command', 'Search']),
  )
  assert.deepEqual(complaints, [])
  await context.close()
})

test('the command palette finds each of more than 200 spaces by its name', async () => {
  const { admin } = service
  for (let n = 1; n <= 201; n++) await admin.space(`room-${n}`, { name: `Room ${n}` })
  await admin.space('zz-last', { name: 'Greenhouse' })
  const { page, open, context, complaints } = await newVisitor(browser, service)
  await open('/pages/docs/guide')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: NAME }).fill('greenhouse')
  await page.getByRole('option', { name: 'Greenhouse' }).first().waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/browse/zz-last')
  assert.deepEqual(complaints, [])
  await context.close()
})
