import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { axeFindings } from '../support/axe.ts'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { png, putBytes } from '../support/files.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor, type Visitor } from '../support/visitor.ts'

let service: Service
let browser: Browser
let visitor: Visitor
before(async () => {
  ;[service, browser] = await Promise.all([startService(), startBrowser()])
  await service.admin.space('docs', { name: 'Handbook' })
  assertStatus(await service.admin.put('/pages/docs/guide/setup', '# Setting up'), 201)
  assertStatus(await putBytes(service.admin, '/files/docs/guide/plan.png', png(80, 60)), 201)
  visitor = await newVisitor(browser, service)
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

const editor = (page: Page) => page.getByRole('textbox', { name: 'Text of the page' })
const block = (page: Page, text: string) => editor(page).getByText(text, { exact: true })

/** Opens a page in the editor, with the caret at its start. */
async function edit(path: string, text: string): Promise<Page> {
  assertStatus(await service.admin.put(`/pages/docs/${path}`, text), 201)
  await visitor.open(`/edit/docs/${path}`)
  await editor(visitor.page).press('ControlOrMeta+Home')
  return visitor.page
}

const KEY = /^(?:(?:\w+\+)+.|(?:\w+\+)*(?:Enter|Tab|Backspace|Home|End|Arrow\w+))$/

/** Presses keys; what is no key is typed. */
async function type(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    if (KEY.test(key)) await page.keyboard.press(key)
    else await page.keyboard.type(key)
  }
}

/** Takes the first suggestion. */
async function choose(page: Page, name: string): Promise<void> {
  await page.getByRole('option', { name, selected: true }).waitFor()
  await page.keyboard.press('Enter')
}

async function assertSaved(page: Page, path: string, expected: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+s')
  await page.locator('.save-bar .state').getByText('Saved as version 2.').waitFor()
  assert.equal((await service.admin.get(`/pages/docs/${path}.md`)).text, expected)
  assert.deepEqual(visitor.complaints, [])
}

function paste(page: Page, data: Readonly<Record<string, string>>): Promise<void> {
  return editor(page).evaluate((content, given) => {
    const clipboardData = new DataTransfer()
    for (const [kind, text] of Object.entries(given)) clipboardData.setData(kind, text)
    content.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, data)
}

test('Markdown that is typed by hand turns into what it means, and Backspace makes it text again', async () => {
  const page = await edit('typed', '')
  await type(page, '# Plans', 'Enter', 'Some **bold**, *soft*, ~~old~~ and `code`.', 'Enter', '**no**', 'Backspace')
  await type(page, 'Enter', '## ', 'Backspace', 'Enter', '- one', 'Enter', 'two', 'Enter', 'Tab', 'in two', 'Enter')
  await type(page, 'Enter', 'Enter', '[ ] write', 'Enter', 'read', 'Enter', 'Enter', '3. third', 'Shift+Enter', 'line')
  await type(page, 'Enter', 'fourth', 'Enter', 'Enter', '> said', 'Enter', 'Enter', '---', '```js', 'Enter', 'a = 1')
  await type(page, 'Enter', 'b', 'ControlOrMeta+Enter', 'One [link](/news).', 'Enter', 'Last')
  await assertSaved(
    page,
    'typed',
    '# Plans\n\nSome **bold**, *soft*, ~~old~~ and `code`.\n\n\\*\\*no\\*\\*\n\n\\##\n\n- one\n- two\n  - in two\n\n' +
      '* [ ] write\n* [ ] read\n\n3. third\\\n   line\n4. fourth\n\n> said\n\n---\n\n```js\na = 1\nb\n```\n\n' +
      'One [link](/news).\n\nLast\n',
  )
})

test('blocks, pages, emoji and tables are inserted with the keyboard', async () => {
  const page = await edit('blocks', '')
  await type(page, '/head')
  await page.getByRole('option', { name: 'Heading 2' }).waitFor()
  assert.deepEqual(await axeFindings(page), [])
  await type(page, 'ArrowDown')
  await choose(page, 'Heading 2')
  await type(page, 'Team', 'Enter', '/tab')
  await choose(page, 'Table')
  await type(page, 'Who', 'Tab', 'What', 'Tab', 'Tab', 'Ann', 'Enter', 'Enter', 'Enter', 'See [[sett')
  await choose(page, 'Setting up')
  await type(page, ' :tad')
  await choose(page, 'tada')
  await type(page, 'Enter', '/note')
  await choose(page, 'Note')
  await type(page, 'Take care')
  await assertSaved(
    page,
    'blocks',
    '## Team\n\n| Who | What |  |\n| --- | --- | --- |\n| Ann |  |  |\n\n' +
      'See [Setting up](/pages/docs/guide/setup) 🎉\n\n> [!NOTE]\n> Take care\n',
  )
})

const PAGE = `---
tags: [a,  b]
---
A title
=======

*  one
*  two

+ [ ] write
+ [x] read

Some __bold__   text
![Plan](plan.png)

| A | B |
|--|:-:|
| 1 | 2 |

<div align="center">HTML</div>

last`

test('what is edited changes its lines, and undone edits give back the bytes', async () => {
  const page = await edit('guide/lines', PAGE)
  assert.deepEqual(await axeFindings(page), [])
  assert.equal(await editor(page).getByRole('img', { name: 'Plan' }).count(), 1)
  await page.getByRole('checkbox', { name: 'write' }).click()
  await block(page, 'one').click()
  await type(page, 'End', 'Enter', 'more')
  await page.getByRole('cell', { name: '2', exact: true }).click()
  await type(page, 'End', '3')
  await editor(page).getByText('HTML').click()
  await page.getByLabel('Source', { exact: true }).fill('<div align="center">More</div>')
  await page.keyboard.press('ControlOrMeta+Enter')
  await block(page, 'last').click()
  await type(page, 'End', ' word', 'ControlOrMeta+z')
  await assertSaved(
    page,
    'guide/lines',
    PAGE.replace('*  one', '*  one\n*  more')
      .replace('[ ] write', '[x] write')
      .replace('| 1 | 2 |', '| 1 | 23 |')
      .replace('>HTML<', '>More<'),
  )
})

test('buttons, Home, Backspace and a triple click change what they are at, and no marks of others', async () => {
  const page = await edit('defects', '# One\n\n- [ ] Lunch\n- [ ] Tea\n\nSome words\n\n## Head\n\nlast\n')
  await page.getByRole('button', { name: 'List', exact: true }).click()
  await page.getByRole('button', { name: 'Tasks', exact: true }).click()
  await type(page, 'Home', 'Plans ')
  await block(page, 'Lunch').click()
  await type(page, 'Home', 'Great ')
  await block(page, 'Tea').click({ clickCount: 3 })
  await type(page, 'Cake')
  await block(page, 'Head').click()
  await type(page, 'Home', 'Backspace')
  await block(page, 'Some words').click({ clickCount: 3 })
  await type(page, 'Any', 'Enter', 'new', 'ControlOrMeta+Shift+8')
  await assertSaved(page, 'defects', '- [ ] Plans One\n- [ ] Great Lunch\n- [ ] Cake\n\nAny\n\n- new\n\nHead\n\nlast\n')
})

test('every tool is an icon with a name, says its key, and is large enough for a finger', async () => {
  const page = await edit('tools', 'words\n')
  for (const width of [1440, 375]) {
    await page.setViewportSize({ width, height: 740 })
    const tools = await page
      .locator('.editor-tools :is(button:not(.items *, .modes *, dialog *), summary)')
      .evaluateAll((controls) =>
        controls.map((control) => {
          const { width, height } = control.getBoundingClientRect()
          const isLarge = Math.min(width, height) >= 24
          return [control.getAttribute('title'), control.textContent, isLarge && control.querySelector('svg') !== null]
        }),
      )
    assert.deepEqual(
      tools.filter(([title, text, isSound]) => !(title && text === '' && isSound)),
      [],
    )
    assert.deepEqual(
      tools.slice(0, 5).map(([title]) => title),
      ['Bold (Ctrl B)', 'Italic (Ctrl I)', 'Code (Ctrl E)', 'Strikethrough (Ctrl Shift X)', 'Link (Ctrl K)'],
    )
  }
  await page.setViewportSize({ width: 1280, height: 720 })
  assert.deepEqual(await axeFindings(page), [])
  await block(page, 'words').click({ clickCount: 3 })
  await page.getByRole('group', { name: 'Selection' }).getByRole('button', { name: 'Bold' }).click()
  await assertSaved(page, 'tools', '**words**\n')
})

test('blocks are moved, duplicated and deleted by keys and by the menu of their handle', async () => {
  const page = await edit('order', 'one\n\n- a\n- b\n\n***\n\nthree\n')
  await type(page, 'Alt+ArrowDown')
  await block(page, 'b').click()
  await type(page, 'Alt+ArrowUp', 'ControlOrMeta+Shift+d')
  await block(page, 'three').hover()
  await page.locator('.block-handle').getByLabel('Block', { exact: true }).click()
  assert.deepEqual(await axeFindings(page), [])
  await page.locator('.block-handle').getByRole('button', { name: 'Move up' }).click()
  await assertSaved(page, 'order', '- b\n- b\n- a\n\none\n\nthree\n\n***\n')
})

test('rows and columns of a table are added and deleted by its menu', async () => {
  const page = await edit('table', '| A | B |\n| - | - |\n| 1 | 2 |\n\nlast\n')
  await page.getByRole('cell', { name: '1', exact: true }).click()
  for (const name of ['Insert column after', 'Insert row below', 'Align right', 'Delete column']) {
    await page.getByRole('toolbar').getByLabel('Table', { exact: true }).click()
    await page.getByRole('button', { name, exact: true }).click()
  }
  await paste(page, { 'text/plain': 'x\ty\nz\tw\n' })
  await assertSaved(page, 'table', '|   | B |\n| - | - |\n| x | y |\n| z | w |\n\nlast\n')
})

test('rich text and Markdown are pasted as blocks, without a fault of the policy', async () => {
  const page = await edit('pasted', 'first\n')
  await type(page, 'End', 'Enter')
  await paste(page, {
    'text/plain': 'plain',
    'text/html':
      '<h2 style="color:red">Title</h2><p>Some <b>bold</b></p><ul><li>one<ul><li>in</li></ul></li></ul><table><tr><td>A</td><td>B</td></tr><tr><td>1</td><td>2</td></tr></table>',
  })
  await editor(page).getByRole('cell', { name: '2' }).waitFor()
  await type(page, 'ControlOrMeta+End', 'Enter')
  await paste(page, { 'text/plain': '1. a\n2. b\n\nend' })
  await paste(page, { 'text/plain': ' red', 'text/html': '<span style="color:red">red</span>' })
  await type(page, 'Shift+ControlOrMeta+ArrowLeft')
  await page.waitForFunction(() => getSelection()?.toString() === 'red')
  await paste(page, { 'text/plain': 'https://example.org/' })
  await assertSaved(
    page,
    'pasted',
    'first\n\n## Title\n\nSome **bold**\n\n- one\n  - in\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\n1. a\n2. b\n\n' +
      'end [red](https://example.org/)\n',
  )
})

test('the source is a mode of its own, which keeps the caret, and the browser remembers the mode', async () => {
  const lines = Array.from({ length: 60 }, (_, number) => `Paragraph ${number} of **many** words`)
  const page = await edit('modes', `${lines.join('\n\n')}\n`)
  await editor(page).getByText('Paragraph 40').click()
  await type(page, 'End')
  await page.getByRole('button', { name: 'Source' }).click()
  await page.getByRole('textbox', { name: 'Markdown of the page' }).waitFor()
  await type(page, ', typed')
  await page.locator('.save-bar .state').getByText('Not saved yet').waitFor()
  page.on('dialog', (dialog) => void dialog.accept())
  await page.reload()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('textbox', { name: 'Markdown of the page' }).waitFor()
  await page.getByRole('button', { name: 'Page', exact: true }).click()
  await editor(page).getByText('many words, typed').waitFor()
  await editor(page).focus()
  await assertSaved(page, 'modes', `${lines.join('\n\n')}\n`.replace(/40 .*/, '$&, typed'))
})

test('a new title offers to rename the path that followed from the one before', async () => {
  const page = await edit('guide/plans', '# Plans\n\ntext\n')
  await type(page, 'End', ' of May')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('link', { name: 'Rename its path to guide/plans-of-may' }).click()
  assert.equal(await page.getByLabel('New path').inputValue(), 'guide/plans-of-may')
  await page.getByRole('button', { name: 'Move', exact: true }).click()
  await page.waitForURL('**/pages/docs/guide/plans-of-may')
  assert.deepEqual(visitor.complaints, [])
})

test('blocks that are copied and pasted here keep their bytes', async () => {
  const text = '*  one\n*  two\n\nSome __bold__   text\n\n| A | B |\n|--|:-:|\n| 1 | 2 |\n'
  const page = await edit('copied', text)
  await type(page, 'ControlOrMeta+a', 'ControlOrMeta+c', 'ControlOrMeta+End', 'ArrowDown', 'Enter', 'ControlOrMeta+v')
  await page.getByRole('cell', { name: '2', exact: true }).nth(1).waitFor()
  await page.keyboard.press('ControlOrMeta+s')
  await page.locator('.save-bar .state').getByText('Saved as version 2.').waitFor()
  const saved = (await service.admin.get('/pages/docs/copied.md')).text
  assert.equal(saved.split(text.trimEnd()).length, 3, saved)
})

test('a part of a list that is copied and pasted here keeps the bytes of its items', async () => {
  const page = await edit('part', '*   __one__   x\n*   two\\\n    lines\n*   three\n\nend\n')
  await editor(page).getByText('two').click()
  await type(page, 'Home', 'ArrowRight', 'Shift+ArrowDown', 'Shift+ArrowDown', 'Shift+ArrowDown')
  await type(page, 'ControlOrMeta+c', 'ControlOrMeta+End', 'Enter', 'ControlOrMeta+v', 'ControlOrMeta+s')
  await page.locator('.save-bar .state').getByText('Saved as version 2.').waitFor()
  assert.match((await service.admin.get('/pages/docs/part.md')).text, /^end\n\n\* {3}wo\\\n {4}lines\n\* {3}three\n/m)
})

test('Enter in the title goes on to the text, and a notice leaves the line in view that one types in', async () => {
  const { page, open } = visitor
  await open('/new/docs')
  await page.getByLabel('Title', { exact: true }).fill('Empty')
  await editor(page).waitFor()
  await page.getByLabel('Title', { exact: true }).press('Enter')
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Text of the page')
  assert.ok(page.url().endsWith('/new/docs'))
  assert.equal((await service.admin.get('/pages/docs/empty')).status, 404)
  const lines = Array.from({ length: 60 }, (_, line) => `Line ${line}`)
  assertStatus(await service.admin.put('/pages/docs/long', `# Long\n\n${lines.join('\n\n')}\n`), 201)
  const unsaved = { json: { body: 'another', version: 1 } }
  assertStatus(await service.admin.call('PUT', '/me/unsaved/docs/long', unsaved), 204)
  for (const [width, height] of [
    [375, 667],
    [768, 800],
    [1440, 900],
  ] as const) {
    await page.setViewportSize({ width, height })
    await open('/edit/docs/long')
    await page.getByRole('region', { name: 'Unsaved text' }).waitFor()
    await editor(page).press('ControlOrMeta+End')
    await page.keyboard.type('x')
    await page.getByText('Not saved yet').waitFor()
    await page.waitForFunction(() => {
      const [line, pane, bar] = ['.ProseMirror > :last-child', '.ProseMirror', '.save-bar'].map((selector) =>
        document.querySelector(selector)?.getBoundingClientRect(),
      )
      return line && pane && bar && line.bottom <= Math.min(pane.bottom, bar.top)
    })
    await page.keyboard.press('ControlOrMeta+z')
  }
})
