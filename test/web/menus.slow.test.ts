import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { axeFindings } from '../support/axe.ts'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { assertEditingMenusCanBeClicked, assertMenusCanBeClicked } from '../support/menu-items.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

let service: Service
let browser: Browser
before(async () => {
  service = await startService()
  browser = await startBrowser()
  await service.admin.space('docs', { name: 'A handbook with a name of some length' })
  assertStatus(
    await service.admin.put('/pages/docs/guide/setup', '# Setting up\n\nText.\n\n| a | b |\n| - | - |\n| 1 | 2 |\n'),
    201,
  )
})
after(async () => {
  await browser.close()
  await service[Symbol.asyncDispose]()
})

test('at 360 pixels every item of every menu can be clicked, in both directions of text', async () => {
  const visitor = await newVisitor(browser, service, { viewport: { width: 360, height: 640 } })
  await assertMenusCanBeClicked(visitor)
  await assertEditingMenusCanBeClicked(visitor)
  await visitor.context.close()
})

test('the page menu can be used with the keyboard only', async () => {
  const { page, open, context } = await newVisitor(browser, service)
  await open('/pages/docs/guide/setup')
  await page.getByLabel('More actions').focus()
  await page.keyboard.press('Enter')
  for (let step = 0; step < 12; step++) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Delete this page?' }).waitFor()
  await context.close()
})

test('on a narrow screen the current tab is in view, and the document is not scrolled', async () => {
  const { page, open, context } = await newVisitor(browser, service, { viewport: { width: 360, height: 640 } })
  for (const screen of ['/settings/docs', '/manage/audit', '/manage/links', '/pages/docs/guide/setup']) {
    await open(screen)
    await page.waitForFunction(() => {
      const tab = document.querySelector('.tabs [aria-current]')?.getBoundingClientRect()
      const row = document.querySelector('.tabs ul')?.getBoundingClientRect()
      return tab && row && tab.left >= row.left && tab.right <= row.right && tab.right <= innerWidth
    })
    assert.equal(await page.evaluate(() => scrollY), 0)
  }
  await context.close()
})

test('a crumb has a menu of what is beside it, by keyboard too; without script it is a link', async () => {
  const { page, open, complaints, context } = await newVisitor(browser, service)
  await service.admin.write('docs/guide/plan', '# The plan')
  for (let n = 0; n < 101; n++) await service.admin.write(`docs/many/n${n}`, `# Note ${n}`)
  await open('/pages/docs/guide/setup')
  const beside = (name: string) => page.getByRole('button', { name: `Beside ${name}`, exact: true })
  const menu = page.locator('.crumbs .items:popover-open')
  await beside('guide').click()
  await menu.getByRole('link').first().waitFor()
  assert.deepEqual(await menu.getByRole('link').allInnerTexts(), ['guide', 'many'])
  assert.deepEqual(await axeFindings(page), [])
  await beside('guide').click()
  await menu.waitFor({ state: 'detached' })
  await beside('setup').focus()
  await page.keyboard.press('Enter')
  const current = menu.getByRole('link', { name: 'Setting up' })
  await current.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Escape')
  await beside('setup').and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await current.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/pages/docs/guide/plan')
  await open('/pages/docs/many/n7')
  await beside('n7').click()
  await menu.getByRole('link', { name: 'Show all' }).waitFor()
  assert.equal(await menu.getByRole('link').count(), 101)
  await menu.getByRole('link', { name: 'Show all' }).click()
  await page.waitForURL('**/browse/docs?prefix=many%2F')
  assert.deepEqual(complaints, [])
  await context.close()
  const plain = await newVisitor(browser, service, { javaScriptEnabled: false })
  await plain.open('/pages/docs/guide/setup')
  assert.equal(await plain.page.locator('.crumbs button').first().isVisible(), false)
  await plain.page.locator('.crumbs').getByRole('link', { name: 'guide' }).click()
  await plain.page.waitForURL('**/browse/docs?prefix=guide')
  await plain.context.close()
})
