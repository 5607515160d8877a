import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

const SIZES = [
  [360, 640],
  [768, 1024],
  [1440, 900],
  [1920, 1080],
] as const
const SCREENS = ['/', '/pages/docs/guide/setup', '/history/docs/guide/setup', '/browse/docs', '/views/docs']

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

/** Opens every menu of the document, one at a time, and returns the items that a click in their middle would miss. */
async function missedItems(page: Page): Promise<string[]> {
  const missed: string[] = []
  const menus = page.locator('details.menu')
  for (let index = 0; index < (await menus.count()); index++) {
    const menu = menus.nth(index)
    if (!(await menu.isVisible())) continue
    await menu.locator('summary').click()
    missed.push(...(await menu.evaluate(findMissed)))
    await page.keyboard.press('Escape')
    assert.equal(await menu.getAttribute('open'), null)
  }
  return missed
}

/** Runs in the page. */
function findMissed(menu: Element): string[] {
  const items = [...menu.querySelectorAll('li :is(a, button)')].filter((item) => item.checkVisibility())
  if (items.length === 0) return ['a menu without items']
  const button = menu.querySelector('summary')?.getBoundingClientRect()
  const list = menu.querySelector('.items')?.getBoundingClientRect()
  if (button && list && (list.left > button.right || list.right < button.left)) return ['a menu beside its button']
  return items.flatMap((item) => {
    const { left, right, top, bottom } = item.getBoundingClientRect()
    const points = [left + 4, (left + right) / 2, right - 4].map((x) => [x, (top + bottom) / 2] as const)
    const isHit = points.every(([x, y]) => document.elementFromPoint(x, y)?.closest('a, button') === item)
    return isHit ? [] : [`${item.textContent} at ${left},${top}`]
  })
}

for (const [width, height] of SIZES) {
  test(`at ${width} pixels every item of every menu can be clicked, in both directions of text`, async () => {
    const { page, open, context } = await newVisitor(browser, service, { viewport: { width, height } })
    for (const screen of SCREENS) {
      await open(screen)
      for (const dir of ['ltr', 'rtl']) {
        await page.evaluate((value) => document.documentElement.setAttribute('dir', value), dir)
        assert.deepEqual(await missedItems(page), [], `${screen} ${dir}`)
      }
    }
    await context.close()
  })
}

for (const [width, height] of SIZES) {
  test(`at ${width} pixels every item of the menus of the tree and of the editor can be clicked`, async () => {
    const { page, open, context } = await newVisitor(browser, service, { viewport: { width, height } })
    await open('/pages/docs/guide/setup')
    const drawer = page.getByRole('button', { name: 'Pages of this space' })
    if (await drawer.isVisible()) await drawer.click()
    await page.getByRole('button', { name: 'Actions for Setting up' }).click()
    assert.deepEqual(await page.locator('.tree-menu').evaluate(findMissed), [])
    await open('/edit/docs/guide/setup')
    await page.locator('.page-text .prose').press('Control+End')
    assert.deepEqual(await missedItems(page), [])
    await context.close()
  })
}

test('the page menu can be used with the keyboard only', async () => {
  const { page, open, context } = await newVisitor(browser, service)
  await open('/pages/docs/guide/setup')
  await page.getByLabel('More actions').focus()
  await page.keyboard.press('Enter')
  for (let step = 0; step < 9; step++) await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Delete this page?' }).waitFor()
  await context.close()
})

test('on a narrow screen the current tab is in view, and the document is not scrolled', async () => {
  const { page, open, context } = await newVisitor(browser, service, {
    viewport: { width: 360, height: 640 },
  })
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
