import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { type Browser, devices, type Locator, type Page } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { png } from '../support/files.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

let service: Service
let browser: Browser
before(async () => {
  ;[service, browser] = await Promise.all([startService(), startBrowser()])
  await service.admin.space('docs')
  assertStatus(await service.admin.put('/pages/docs/setup', '# Setting up'), 201)
})
afterEach(() => service.admin.delete('/pages/docs/team-trip', { 'if-match': '*' }))
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

const IMAGE = { name: 'plan.png', mimeType: 'image/png', buffer: Buffer.from(png(80, 60)) }
const ROWS = [
  ['Who', 'What', 'When'],
  ['Ann', 'Tickets', 'May'],
  ['Ben', 'Food', 'June'],
  ['Eve', 'Music', 'July'],
]
const EXPECTED = `# Team trip

## To bring

- Food
  - Bread
- Towels
- [ ] Book
- [ ] Ask

[Setting up](/pages/docs/setup)

![](./team-trip-1.png)

${ROWS.map((row, index) => `| ${row.join(' | ')} |${index === 0 ? '\n| --- | --- | --- |' : ''}`).join('\n')}

> [!NOTE]
> Take care

\`\`\`js
a = 1
\`\`\`

The end
`

const text = (page: Page) => page.getByRole('textbox', { name: 'Text of the page' })
const picture = (page: Page) => text(page).locator('.picture img')

async function assertPage(page: Page, expected: string): Promise<void> {
  await page.waitForURL('**/pages/docs/team-trip')
  const { text: saved } = await service.admin.get('/pages/docs/team-trip.md')
  assert.equal(saved.replace(/!\[.*?\]\(.*?\)/, '![](./team-trip-1.png)'), expected)
}

const MOUSE = { viewport: { width: 1440, height: 900 } }
const TOUCH = { ...devices['Pixel 5'], viewport: { width: 375, height: 740 } }

for (const [name, options] of Object.entries({ 'a mouse at 1440 px': MOUSE, 'a finger at 375 px': TOUCH })) {
  test(`a page is made with ${name}, without a mark of Markdown`, async () => {
    const { page, open, complaints, context } = await newVisitor(browser, service, options)
    const press = (target: Locator) => ('hasTouch' in options ? target.tap() : target.click())
    const tool = (label: string) => press(page.getByRole('toolbar').getByRole('button', { name: label, exact: true }))
    const menu = async (label: string, item: string) => {
      await press(page.getByRole('toolbar').getByLabel(label, { exact: true }))
      await press(page.locator('.editor-tools details[open]').getByRole('button', { name: item, exact: true }))
    }
    const write = (words: string) => page.keyboard.type(words)
    page.on('filechooser', (chooser) => void chooser.setFiles(IMAGE))
    await open('/new/docs')
    await text(page).waitFor()
    await press(page.getByLabel('Title'))
    await write('Team trip')
    await press(text(page))
    await menu('Text', 'Heading 2')
    await write('To bring\n')
    await tool('List')
    await write('Food\n')
    await tool('Indent')
    await write('Bread\n')
    await tool('Outdent')
    await write('Towels\n\n')
    await tool('Tasks')
    await write('Book\nAsk\n\n')
    await menu('Insert', 'Link to a page')
    await press(page.getByRole('option', { name: 'Setting up' }))
    await write('\n')
    await tool('Insert images and files')
    await picture(page).waitFor()
    await menu('Insert', 'Table')
    await menu('Table', 'Insert row below')
    const cells = text(page).locator('th, td')
    for (const [index, word] of ROWS.flat().entries()) {
      await press(cells.nth(index))
      await write(word)
    }
    await menu('Insert', 'Note')
    await write('Take care\n\n')
    await menu('Text', 'Code block')
    await write('a = 1')
    await press(page.getByLabel('Language of the code'))
    await write('js')
    const isTouch = 'hasTouch' in options
    if (!isTouch) {
      const box = await text(page).locator('.code-block').boundingBox()
      await page.mouse.click((box?.x ?? 0) + 30, (box?.y ?? 0) + (box?.height ?? 0) + 25)
      await write('The end')
    }
    await press(page.getByRole('button', { name: 'Create page' }))
    await assertPage(page, isTouch ? EXPECTED.replace('\nThe end\n', '') : EXPECTED)
    assert.deepEqual(complaints, [])
    await context.close()
  })
}

for (const width of [1440, 375]) {
  test(`a page is made with the keyboard at ${width} px, without a mark of Markdown`, async () => {
    const { page, open, complaints, context } = await newVisitor(browser, service, { viewport: { width, height: 740 } })
    const write = (words: string) => page.keyboard.type(words)
    const insert = async (words: string, option: string) => {
      await write(words)
      await page.getByRole('option', { name: option, selected: true }).waitFor()
      await page.keyboard.press('Enter')
    }
    const pressAll = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    page.on('filechooser', (chooser) => void chooser.setFiles(IMAGE))
    await open('/new/docs')
    await text(page).waitFor()
    await write('Team trip\n')
    await insert('/heading 2', 'Heading 2')
    await write('To bring\n')
    await insert('/list', 'List')
    await write('Food\n')
    await pressAll('Tab')
    await write('Bread\n')
    await pressAll('Shift+Tab')
    await write('Towels\n\n')
    await insert('/tasks', 'Tasks')
    await write('Book\nAsk\n\n')
    await insert('/link', 'Link to a page')
    await insert('sett', 'Setting up')
    await write('\n')
    const leaveTo = async (target: Locator, key: string) => {
      await pressAll('Escape')
      for (let steps = 0; steps < 40; steps++) {
        if (await target.evaluate((element) => element === document.activeElement)) break
        await pressAll(key)
      }
    }
    await leaveTo(page.getByRole('button', { name: 'Insert images and files' }), 'Shift+Tab')
    await pressAll('Enter')
    await picture(page).waitFor()
    await write('\n')
    await insert('/table', 'Table')
    for (const [index, word] of ROWS.flat().entries()) {
      if (index > 0) await pressAll('Tab')
      await write(word)
    }
    await pressAll('Enter', 'Enter')
    await insert('/note', 'Note')
    await write('Take care\n\n')
    await insert('/code', 'Code block')
    await write('a = 1')
    await leaveTo(page.getByLabel('Language of the code'), 'Tab')
    await write('js\n')
    await pressAll('ArrowDown')
    await write('The end')
    await pressAll('ControlOrMeta+s')
    await assertPage(page, EXPECTED)
    assert.deepEqual(complaints, [])
    await context.close()
  })
}
