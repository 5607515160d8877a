import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'
import { tabTo } from '../support/tab-to.ts'
import { newVisitor } from '../support/visitor.ts'

let service: Service
let browser: Browser
before(async () => {
  ;[service, browser] = await Promise.all([startService(), startBrowser()])
  const { admin } = service
  await admin.space('docs', { name: 'Docs' })
  for (const n of [1, 2, 3, 10]) {
    await admin.write(`docs/notes/n${n}`, `# Note ${n}\n\nAbout bananas.`)
    const set = { size: n, status: n > 2 ? 'open' : 'done' }
    assertStatus(await admin.patch(`/pages/docs/notes/n${n}/metadata`, { set }), 200)
  }
  await admin.write('docs/archive/old', '# Old')
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

/** Goes to a field by Tab, and types into it instead of what is there. */
async function type(page: Page, label: string, text: string): Promise<void> {
  await tabTo(page.getByLabel(label, { exact: true }))
  await page.keyboard.press('Control+A')
  await page.keyboard.type(text)
}

test('a view is filtered, its filter removed as a chip, a column hidden and the order changed by keyboard alone', async () => {
  const { page, open, complaints, context } = await newVisitor(browser, service)
  const titles = () => page.locator('tbody th a').allInnerTexts()
  await open('/views/docs')
  const settings = page.getByText('Filters, columns and order')
  await tabTo(settings)
  await page.keyboard.press('Enter')
  await type(page, 'Property of new filter', 'status')
  await type(page, 'Value of new filter', 'open')
  await page.keyboard.press('Enter')
  const chip = page.getByRole('link', { name: 'Remove the filter status' })
  await chip.waitFor()
  assert.deepEqual((await titles()).toSorted(), ['Note 10', 'Note 3'])
  await tabTo(settings)
  await page.keyboard.press('Enter')
  await tabTo(page.getByRole('checkbox', { name: 'status' }))
  await page.keyboard.press('Space')
  await type(page, 'By property', 'size')
  await tabTo(page.getByLabel('Direction'))
  await page.keyboard.type('desc')
  await tabTo(page.getByRole('button', { name: 'Show', exact: true }))
  await page.keyboard.press('Enter')
  await page.getByRole('columnheader', { name: 'size' }).and(page.locator('[aria-sort="descending"]')).waitFor()
  assert.equal(await page.getByRole('columnheader', { name: 'status' }).count(), 0)
  assert.deepEqual(await titles(), ['Note 10', 'Note 3'])
  await tabTo(chip)
  await page.keyboard.press('Enter')
  await chip.waitFor({ state: 'detached' })
  assert.deepEqual((await titles()).slice(0, 4), ['Note 10', 'Note 3', 'Note 2', 'Note 1'])
  assert.deepEqual(complaints, [])
  await context.close()
})

test('a page is moved below another one from the tree, and back by Undo, by keyboard alone', async () => {
  const { page, open, complaints, context } = await newVisitor(browser, service)
  await open('/pages/docs/notes/n3')
  await tabTo(page.getByRole('button', { name: 'Actions for Note 3' }))
  await page.keyboard.press('Enter')
  await tabTo(page.locator('.tree-menu').getByRole('link', { name: 'Move', exact: true }))
  await page.keyboard.press('Enter')
  await page.getByRole('combobox', { name: 'below which page?' }).waitFor()
  await page.keyboard.type('old')
  await page.locator('.palette [aria-selected=true]', { hasText: 'archive/old' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/move/docs/notes/n3?to=*')
  await tabTo(page.getByRole('button', { name: 'Move', exact: true }))
  await page.keyboard.press('Enter')
  await page.waitForURL('**/pages/docs/archive/old/n3')
  await tabTo(page.getByRole('button', { name: 'Undo' }))
  await page.keyboard.press('Enter')
  await page.waitForURL('**/pages/docs/notes/n3')
  assert.equal((await service.admin.page('/pages/docs/notes/n3')).status, 200)
  assert.deepEqual(complaints, [])
  await context.close()
})
