import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import type { Visitor } from './visitor.ts'

const SCREENS = ['/', '/pages/docs/guide/setup', '/history/docs/guide/setup', '/browse/docs', '/views/docs']

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

/** Clicks in the middle of every item of every menu would hit it, in both directions of text. */
export async function assertMenusCanBeClicked({ page, open }: Pick<Visitor, 'page' | 'open'>): Promise<void> {
  for (const screen of SCREENS) {
    await open(screen)
    for (const dir of ['ltr', 'rtl']) {
      await page.evaluate((value) => document.documentElement.setAttribute('dir', value), dir)
      assert.deepEqual(await missedItems(page), [], `${screen} ${dir}`)
    }
  }
}

/** The same for the menus of the tree and of the editor. */
export async function assertEditingMenusCanBeClicked({ page, open }: Pick<Visitor, 'page' | 'open'>): Promise<void> {
  await open('/pages/docs/guide/setup')
  const drawer = page.getByRole('button', { name: 'Pages of this space' })
  if ((page.viewportSize()?.width ?? 0) < 1024) await drawer.click()
  await page.getByRole('button', { name: 'Actions for Setting up' }).click()
  assert.deepEqual(await page.locator('.tree-menu').evaluate(findMissed), [])
  await open('/edit/docs/guide/setup')
  await page.locator('.page-text .prose').press('Control+End')
  assert.deepEqual(await missedItems(page), [])
}
