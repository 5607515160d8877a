import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { axeFindings } from '../support/axe.ts'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

let service: Service
let browser: Browser
before(async () => {
  ;[service, browser] = await Promise.all([startService(), startBrowser()])
  await service.admin.space('docs', { name: 'Handbook' })
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

const markdownOf = async (path: string) => (await service.admin.get(`/pages/docs/${path}.md`)).text
const editor = (page: Page) => page.getByRole('textbox', { name: 'Markdown of the page' })

async function edit(path: string, text: string, width = 1440) {
  assertStatus(await service.admin.put(`/pages/docs/${path}`, text), 201)
  const visitor = await newVisitor(browser, service, { source: true, viewport: { width, height: 900 } })
  await visitor.open(`/edit/docs/${path}`)
  await editor(visitor.page).click()
  await visitor.page.keyboard.press('ControlOrMeta+End')
  return visitor
}

async function save(page: Page): Promise<void> {
  await editor(page).focus()
  await page.keyboard.press('ControlOrMeta+s')
  await page.locator('.save-bar .state').getByText('Saved as version 2.').waitFor()
}

test('cells are filled with Tab and Enter, and the source stays aligned', async () => {
  const { page, complaints, context } = await edit('keys', '# Team\n\n|Name|Age|\n|-|-:|\n|Ann|7|')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.type('Dora')
  await page.keyboard.press('Tab')
  await page.keyboard.type('41')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Bo')
  await page.keyboard.press('Enter')
  await page.keyboard.type('Cleo')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.keyboard.type('Below')
  await save(page)
  assert.equal(
    await markdownOf('keys'),
    '# Team\n\n| Name | Age |\n| ---- | --: |\n| Dora |  41 |\n| Bo   |     |\n| Cleo |     |\n\nBelow',
  )
  assert.deepEqual(complaints, [])
  await context.close()
})

test('the menu inserts, deletes and aligns, on a phone as well', async () => {
  const { page, complaints, context } = await edit('menu', 'Text', 360)
  const menu = page.locator('.editor-tools details.menu')
  const choose = async (name: string) => {
    await menu.getByText('Table', { exact: true }).click()
    await menu.getByRole('button', { name }).click()
  }
  await choose('Insert table')
  await page.keyboard.type('A')
  await page.keyboard.press('Tab')
  await page.keyboard.type('B')
  await choose('Align right')
  await choose('Insert column after')
  await page.keyboard.type('C')
  await choose('Insert row below')
  await page.keyboard.type('x')
  await choose('Insert row below')
  await page.keyboard.type('y')
  await choose('Delete row')
  await menu.getByText('Table', { exact: true }).click()
  assert.deepEqual(await axeFindings(page), [])
  await page.keyboard.press('Escape')
  await page.keyboard.press('Shift+Tab')
  await editor(page).focus()
  await page.keyboard.press('Shift+Tab')
  await choose('Delete column')
  await save(page)
  assert.equal(await markdownOf('menu'), 'Text\n\n| A   | C   |\n| --- | --- |\n|     | x   |\n|     |     |\n')
  assert.deepEqual(complaints, [])
  await context.close()
})

test('cells are pasted into cells, and lines of text into one of them', async () => {
  const { page, context } = await edit('paste', '| A | B |\n| - | - |\n| 1 | 2 |')
  const paste = (text: string) =>
    editor(page).evaluate((content, given) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', given)
      content.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    }, text)
  await paste('x\ty|z\r\nlast\t\r\n')
  await page.keyboard.press('Shift+Tab')
  await paste('one\ntwo')
  await page.keyboard.press('Tab')
  await save(page)
  assert.equal(
    await markdownOf('paste'),
    '| A   | B          |      |\n| --- | ---------- | ---- |\n| 1   | x          | y\\|z |\n|     | one<br>two |      |',
  )
  await context.close()
})
