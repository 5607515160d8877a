import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
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

test('a search is limited by author, date and property by keyboard alone', async () => {
  const bea = await newPerson(service.admin, 'Bea Lund')
  assertStatus(await service.admin.call('PUT', `/spaces/docs/members/${bea.id}`, { json: { role: 'editor' } }), 201)
  assertStatus(await bea.client.put('/pages/docs/hers', '# Hers\n\nAbout bananas.'), 201)
  const { page, open, complaints, context } = await newVisitor(browser, service)
  await open('/')
  const searched = async (text: string): Promise<string[]> => {
    await type(page, 'Search text', text)
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.searchParams.get('q') === text)
    await page
      .getByLabel('Search text')
      .and(page.locator(`[value='${text}']`))
      .waitFor()
    return page.locator('.hits h2').allInnerTexts()
  }
  await type(page, 'Search pages', 'bananas')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/find?q=bananas*')
  assert.deepEqual(await searched('bananas by:"Bea Lund"'), ['Hers'])
  assert.equal((await searched('bananas after:2020')).length, 5)
  assert.deepEqual(await searched('bananas before:2020'), [])
  await searched('bananas')
  await tabTo(page.getByText('Operators', { exact: true }))
  await page.keyboard.press('Enter')
  await page.getByText('pages that have a property').waitFor()
  await tabTo(page.getByText('Filters', { exact: true }))
  await page.keyboard.press('Enter')
  await type(page, 'Property of new filter', 'size')
  await type(page, 'Value of new filter', '10')
  await page.keyboard.press('Enter')
  await page.getByText('Filters (1)').waitFor()
  assert.deepEqual(await page.locator('.hits h2').allInnerTexts(), ['Note 10'])
  assert.deepEqual(complaints, [])
  await context.close()
})

test('`?` shows the keys of a screen, which act outside of fields and can be switched off', async () => {
  const { page, open, complaints, context } = await newVisitor(browser, service)
  const { keyboard } = page
  const comment = page.getByRole('textbox', { name: 'Comment on the page' })
  const dialog = page.getByRole('dialog', { name: 'Keys' })
  const listKeys = async () => {
    await keyboard.press('?')
    await dialog.waitFor()
    const rows = await dialog.locator('dt').allInnerTexts()
    await keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    return rows
  }
  await open('/inbox')
  assert.deepEqual(await listKeys(), ['Ctrl K', '/', '?', 'N'])
  await open('/pages/docs/archive/old')
  await page.getByRole('button', { name: 'Watch' }).waitFor()
  await page.locator('.page-tree [aria-current]').waitFor()
  const keys = ['Ctrl K', '/', '?', 'C', '↑ · ↓ · ← · →', 'Alt ↑ · Alt ↓', 'N', 'E', 'H', 'F', 'W', 'M', 'S']
  assert.deepEqual(await listKeys(), keys)
  await page.getByLabel('More actions').click()
  assert.deepEqual(
    await page
      .locator('.tabs .items [aria-keyshortcuts]')
      .evaluateAll((links) => links.map((link) => `${link.textContent} ${link.getAttribute('aria-keyshortcuts')}`)),
    ['Edit e', 'History h', 'Move m', 'Share s'],
  )
  await keyboard.press('Escape')
  await keyboard.press('f')
  await page.getByRole('button', { name: 'Favourite', pressed: true }).waitFor()
  await page.locator('.page-tree [aria-current]').focus()
  await keyboard.press('e')
  await page.getByLabel('Search pages').fill('')
  await keyboard.type('e?')
  assert.equal(await page.getByLabel('Search pages').inputValue(), 'e?')
  await page.locator('summary', { hasText: 'Comment on the page' }).click()
  await comment.fill('half written')
  await page.locator('h1').click()
  await keyboard.press('h')
  await keyboard.press('?')
  await dialog.waitFor()
  await dialog.getByLabel('Use keys without Ctrl and Alt').uncheck()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await comment.fill('')
  await page.locator('h1').click()
  await keyboard.press('h')
  await keyboard.press('?')
  await page.getByText('Menu', { exact: true }).click()
  await page.getByRole('button', { name: 'Keys' }).click()
  await dialog.getByLabel('Use keys without Ctrl and Alt').check()
  await keyboard.press('h')
  await keyboard.press('Escape')
  await page.locator('dialog').waitFor({ state: 'detached' })
  assert.ok(page.url().endsWith('/pages/docs/archive/old'))
  await keyboard.press('h')
  await page.waitForURL('**/history/docs/archive/old')
  await keyboard.press('e')
  await page.waitForURL('**/edit/docs/archive/old')
  await page.getByRole('toolbar').getByRole('button', { name: 'Keys' }).click()
  await dialog.getByText('Ctrl B · Ctrl I · Ctrl E').waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
})
