import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { axeFindings } from '../support/axe.ts'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { png, putBytes } from '../support/files.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

const PAGE = `---
# no heading
---
# A *fine* title

Some **bold**, ~~old~~ text with \`code\`, a [link](./other.md) and \\*signs\\*.
![Plan](plan.png)

- one
- [ ] write
- [x] read

1. first

> quoted

***

| Name | Age |
| --- | ---: |
| **Ann** | 40 |
|  | a\\|b |

\`\`\`
# **code**
\`\`\`
![Elsewhere](https://example.org/a.png)
last`

let service: Service
let browser: Browser
before(async () => {
  ;[service, browser] = await Promise.all([startService(), startBrowser()])
  await service.admin.space('docs', { name: 'Handbook' })
  assertStatus(await putBytes(service.admin, '/files/docs/guide/plan.png', png(80, 60)), 201)
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

const markdownOf = async (path: string) => (await service.admin.get(`/pages/docs/${path}.md`)).text
const editor = (page: Page) => page.getByRole('textbox', { name: 'Markdown of the page' })
const line = (page: Page, text: string) => page.locator('.cm-line', { hasText: text }).first()

async function edit(path: string, text = PAGE) {
  assertStatus(await service.admin.put(`/pages/docs/${path}`, text), 201)
  const visitor = await newVisitor(browser, service)
  await visitor.open(`/edit/docs/${path}`)
  await editor(visitor.page).click()
  await visitor.page.keyboard.press('ControlOrMeta+End')
  await line(visitor.page, 'last').waitFor()
  return visitor
}

test('the editor shows Markdown as it will be read, and its source at the caret', async () => {
  const { page, complaints, context } = await edit('guide/all')
  assert.equal(await line(page, 'title').innerText(), 'A fine title')
  assert.equal(await line(page, 'bold').innerText(), 'Some bold, old text with code, a link and *signs*.')
  await page.locator('.cm-line.live-pre', { hasText: '# no heading' }).waitFor()
  await page.locator('.cm-line.live-pre', { hasText: '# **code**' }).waitFor()
  assert.equal(await line(page, 'one').innerText(), '• one')
  assert.equal(await line(page, 'quoted').innerText(), 'quoted')
  await page.locator('.live-rule').waitFor()
  assert.equal(await line(page, 'Elsewhere').innerText(), '![Elsewhere](https://example.org/a.png)')
  const image = editor(page).getByRole('img', { name: 'Plan' })
  await image.waitFor()
  assert.equal(new URL((await image.getAttribute('src')) ?? '', page.url()).pathname, '/files/docs/guide/plan.png')
  assert.deepEqual(await page.locator('.live-table tr').allInnerTexts(), ['Name\tAge', 'Ann\t40', '\ta|b'])
  assert.deepEqual(await axeFindings(page), [])

  await line(page, 'title').click()
  assert.equal(await line(page, 'title').innerText(), '# A fine title')
  await page.keyboard.press('Home')
  for (let at = 0; at < '# A '.length; at++) await page.keyboard.press('ArrowRight')
  assert.equal(await line(page, 'title').innerText(), '# A *fine* title')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.waitForURL('**/pages/docs/guide/all')
  assert.equal(await markdownOf('guide/all'), PAGE)
  assert.deepEqual(complaints, [])
  await context.close()
})

test('wrapped lines of a list item begin below its text', async () => {
  const words = 'many words '.repeat(30)
  const { page, context } = await edit('guide/hang', `- ${words}\n\n1. ${words}\n\nlast`)
  const lefts = await page.locator('.cm-line[class*="live-hang-"]').evaluateAll((items) =>
    items.map((item) => {
      const range = document.createRange()
      const text = [...item.childNodes].findLast((node) => node.nodeType === Node.TEXT_NODE)
      if (text) range.selectNodeContents(text)
      return [...range.getClientRects()].map(({ left }) => left)
    }),
  )
  assert.equal(lefts.length, 2)
  for (const [first = 0, second = 0] of lefts) {
    assert.ok(Math.abs(first - second) < 8, `the first line begins at ${first}, the second at ${second}`)
  }
  await context.close()
})

test('an image that is written without a connection is shown when there is one again', async () => {
  const { page, context } = await edit('guide/away', '# A\n\nlast')
  await context.setOffline(true)
  const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('plan.png'))
  await page.keyboard.type('\n\n![Plan](plan.png)\n\n')
  await failed
  await context.setOffline(false)
  await page.waitForFunction(() => (document.querySelector<HTMLImageElement>('.live-image')?.naturalWidth ?? 0) > 0)
  await context.close()
})

test('a task is ticked in the editor with the mouse and the keyboard: one character changes', async () => {
  const { page, context } = await edit('tasks', '- [ ] write\n- [x] read\n\nlast')
  await page.getByRole('checkbox', { name: 'write' }).click()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Tab')
  assert.equal(await page.evaluate(() => document.activeElement?.ariaLabel), 'write')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  assert.equal(await page.getByRole('checkbox', { name: 'write' }).isChecked(), true)
  assert.equal(await page.getByRole('checkbox', { name: 'read' }).isChecked(), false)
  await editor(page).focus()
  await page.keyboard.press('ControlOrMeta+s')
  await page.locator('.save-bar .state').getByText('Saved as version 2.').waitFor()
  assert.equal(await markdownOf('tasks'), '- [x] write\n- [ ] read\n\nlast')
  await context.close()
})

test('a table is entered by a click on a cell and by the arrow keys', async () => {
  const { page, context } = await edit('table', 'first\n\n| A | B |\n| --- | --- |\n| one | two |\n\nlast')
  await editor(page).getByRole('cell', { name: 'one' }).click()
  await page.locator('.live-table').waitFor({ state: 'detached' })
  await page.keyboard.type(' more')
  await page.keyboard.press('ControlOrMeta+End')
  await editor(page).getByRole('cell', { name: 'one more' }).waitFor()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowUp')
  await page.locator('.live-table').waitFor({ state: 'detached' })
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.type('x')
  await page.keyboard.press('ControlOrMeta+Home')
  await editor(page).getByRole('cell', { name: 'two' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.locator('.live-table').waitFor({ state: 'detached' })
  await page.keyboard.press('ControlOrMeta+s')
  await page.locator('.save-bar .state').getByText('Saved as version 2.').waitFor()
  assert.equal(await markdownOf('table'), 'first\n\n| A | B |\n| --- | --- |\n| xone more | two |\n\nlast')
  await context.close()
})

test('the live preview is switched off for this browser', async () => {
  const { page, open, context } = await edit('off', '# Title\n\nlast')
  const source = page.getByRole('button', { name: 'Source' })
  assert.equal(await line(page, 'Title').innerText(), 'Title')
  await source.click()
  assert.equal(await line(page, 'Title').innerText(), '# Title')
  await open('/edit/docs/off')
  await editor(page).click()
  await page.keyboard.press('ControlOrMeta+End')
  assert.equal(await source.getAttribute('aria-pressed'), 'true')
  assert.equal(await line(page, 'Title').innerText(), '# Title')
  await source.click()
  assert.equal(await line(page, 'Title').innerText(), 'Title')
  await context.close()
})

test('the marker of an alert has the direction of its text', async () => {
  const { page, context } = await edit('alerts', '> [!NOTE]\n> ملاحظة\n\n> [!NOTE]\n> A note\n\nlast')
  const markers = page.locator('.cm-line', { hasText: '[!NOTE]' })
  assert.deepEqual(await markers.evaluateAll((lines) => lines.map((each) => getComputedStyle(each).direction)), [
    'rtl',
    'ltr',
  ])
  await context.close()
})
