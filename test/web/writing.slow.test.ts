import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { axeFindings } from '../support/axe.ts'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

let service: Service
let browser: Browser
before(async () => {
  ;[service, browser] = await Promise.all([startService(), startBrowser()])
  await service.admin.space('docs', { name: 'Handbook' })
  const ann = await newPerson(service.admin, 'Ann Meyer')
  assertStatus(await service.admin.call('PUT', `/spaces/docs/members/${ann.id}`, { json: { role: 'editor' } }), 201)
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

const markdownOf = async (path: string) => (await service.admin.get(`/pages/docs/${path}.md`)).text
const editor = (page: Page) => page.getByRole('textbox', { name: 'Markdown of the page' })

async function edit(path: string) {
  assertStatus(await service.admin.put(`/pages/docs/${path}`, 'x'), 201)
  const visitor = await newVisitor(browser, service, { source: true })
  await visitor.open(`/edit/docs/${path}`)
  await editor(visitor.page).click()
  await visitor.page.keyboard.press('ControlOrMeta+a')
  await visitor.page.keyboard.press('Backspace')
  return visitor
}

/** Takes what is offered, with the keyboard. */
async function choose(page: Page, name: string): Promise<void> {
  const offered = page.getByRole('option', { name, selected: true })
  await offered.waitFor()
  // The editor leaves keys to the text for so long, for whoever types on.
  await page.waitForTimeout(100)
  await page.keyboard.press('Enter')
  await offered.waitFor({ state: 'detached' })
}

async function save(page: Page): Promise<void> {
  await page.keyboard.press('ControlOrMeta+s')
  await page.locator('.save-bar .state').getByText('Saved as version 2.').waitFor()
}

function paste(page: Page, data: Readonly<Record<string, string>>): Promise<void> {
  return editor(page).evaluate((content, given) => {
    const clipboardData = new DataTransfer()
    for (const [type, text] of Object.entries(given)) clipboardData.setData(type, text)
    content.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, data)
}

test('a page with a heading, a table, a name and an emoji is written with the keyboard alone', async () => {
  const { page, complaints, context } = await edit('blocks')
  await page.keyboard.type('/heading 2')
  await choose(page, 'Heading 2##')
  await page.keyboard.type('Plan\n\n/tab')
  await choose(page, 'Table| |')
  await page.keyboard.type('Who')
  await page.keyboard.press('Tab')
  await page.keyboard.type('What')
  await page.keyboard.press('Tab')
  await page.keyboard.type('@ann')
  await choose(page, 'Ann Meyer')
  assert.deepEqual(await axeFindings(page), [])
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.type('\n\nDone :tad')
  await choose(page, '🎉 tada')
  await save(page)
  assert.equal(
    await markdownOf('blocks'),
    '## Plan\n\n| Who        | What |\n| ---------- | ---- |\n| @Ann Meyer |      |\n\nDone 🎉',
  )
  assert.deepEqual(complaints, [])
  await context.close()
})

test('the slash menu has the most used blocks first, and what is typed narrows it', async () => {
  const { page, context } = await edit('menu')
  const offered = page.locator('.cm-completionLabel')
  await page.keyboard.type('/')
  await page.getByRole('option').first().waitFor()
  const names = await offered.allInnerTexts()
  assert.deepEqual(names.slice(0, 5), ['Heading 1', 'Heading 2', 'Heading 3', 'List', 'Numbered list'])
  await page.keyboard.type('list')
  await page.getByRole('option', { name: 'Heading 1' }).waitFor({ state: 'detached' })
  assert.deepEqual(await offered.allInnerTexts(), ['List', 'Task list', 'Numbered list'])
  await context.close()
})

test('Enter on an empty item ends the list', async () => {
  const { page, context } = await edit('lists')
  await page.keyboard.type('- one\ntwo\n\nText\n\n1. first\n\nEnd')
  await save(page)
  assert.equal(await markdownOf('lists'), '- one\n- two\n\nText\n\n1. first\n\nEnd')
  await context.close()
})

test('in code, slashes, colons and at signs are text', async () => {
  const { page, context } = await edit('code')
  await page.keyboard.type('```\n/tab :tad @ann')
  await page.keyboard.press('Enter')
  await page.keyboard.type('```\n/div')
  await choose(page, 'Divider***')
  await save(page)
  assert.equal(await markdownOf('code'), '```\n/tab :tad @ann\n```\n***\n')
  await context.close()
})

test('rich text is pasted as Markdown', async () => {
  const { page, complaints, context } = await edit('rich')
  await paste(page, {
    'text/plain': 'plain',
    'text/html':
      '<b style="font-weight:normal"><h2>Title</h2><p>Some <span style="font-weight:700">bold</span> and <em>soft</em> <a href="https://example.org/">link</a>, style=x.</p>' +
      '<ul><li>one<ol><li>first</li><li>second</li></ol></li><li>two</li></ul><script>alert(1)</script>' +
      '<table><tr><td>A</td><td>B|C</td></tr><tr><td><b>1</b></td><td>2</td></tr></table></b>',
  })
  await page.getByText('| A | B\\|C |').waitFor()
  await save(page)
  assert.equal(
    await markdownOf('rich'),
    '## Title\n\nSome **bold** and _soft_ [link](https://example.org/), style=x.\n\n- one\n  1. first\n  2. second\n- two\n\n| A | B\\|C |\n| --- | --- |\n| **1** | 2 |',
  )
  assert.deepEqual(complaints, [])
  await context.close()
})

test('styles of a pasted spreadsheet, word processor or web page violate no policy and lose no text', async () => {
  const { page, complaints, context } = await edit('styled')
  const sheet = '<style>\n<!--td {color:red}\n.a {mso-x:"<style>"}\n--></style>'
  for (const [html, shown] of [
    [
      `<html><head>${sheet}</head><body><!--StartFragment--><table style='color:red'><tr><td STYLE = "a">A1</td><td\nstyle=color:red>B1</td></tr></table></body></html>`,
      '| A1 | B1 |',
    ],
    [
      '<!--[if gte mso 9]><style>p{}</style><![endif]--><h2 title="a>b"style="color:red">After <span style="font-weight:700">style="x"</span></h2>',
      '## After **style="x"**',
    ],
    ['<p><a href="https://example.org/?a=1&amp;style=2" style="x">link</a></p>', '?a=1&style=2)'],
  ] as const) {
    await paste(page, { 'text/plain': 'plain', 'text/html': html })
    await page.locator('.cm-line').getByText(shown).waitFor()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.press('Backspace')
  }
  assert.deepEqual(complaints, [])
  await context.close()
})

test('what is typed after a paste stands after it, and a pasted block begins after an empty line', async () => {
  const { page, context } = await edit('paste-order')
  await page.keyboard.type('text')
  await paste(page, { 'text/plain': 'x', 'text/html': '<ul><li>one</li></ul>' })
  await page.keyboard.type(', typed')
  await page.locator('.cm-content', { hasText: 'one' }).waitFor()
  await paste(page, { 'text/plain': 'Name\tAge\r\nAnn\t40\r\n' })
  await save(page)
  assert.equal(await markdownOf('paste-order'), 'text\n\n- one, typed\n\n| Name | Age |\n| --- | --- |\n| Ann | 40 |\n')
  await context.close()
})

test('cells of a spreadsheet are pasted as a table; text without markup and text in code as it is', async () => {
  const { page, context } = await edit('cells')
  await paste(page, { 'text/plain': 'Name\tAge\r\nAnn\t40\r\n' })
  await paste(page, { 'text/plain': 'a *b*\n', 'text/html': '<span style="color:red">a *b*</span>' })
  await page.keyboard.type('```\n')
  await paste(page, {
    'text/plain': 'x\ty\nz\tw',
    'text/html': '<table><tr><td>x</td><td>y</td></tr></table>',
  })
  await save(page)
  assert.equal(await markdownOf('cells'), '| Name | Age |\n| --- | --- |\n| Ann | 40 |\na *b*\n```\nx\ty\nz\tw')
  await context.close()
})

test('the page and the start screen tell of an unsaved draft; the start screen of what others changed and of pages read', async () => {
  const ben = await newPerson(service.admin, 'Ben')
  assertStatus(await service.admin.call('PUT', `/spaces/docs/members/${ben.id}`, { json: { role: 'editor' } }), 201)
  assertStatus(await service.admin.put('/pages/docs/drafted', '# Drafted page\n'), 201)
  const { page, open, complaints, context } = await newVisitor(browser, service, { source: true, key: ben.key })
  await open('/')
  assert.equal(await page.getByRole('heading', { name: 'Your unsaved drafts' }).isVisible(), false)
  await open('/edit/docs/drafted')
  await editor(page).click()
  await page.keyboard.type('More. ')
  page.on('dialog', (dialog) => void dialog.accept())
  await open('/pages/docs/drafted')
  await page.getByRole('link', { name: 'Unsaved draft' }).waitFor()
  await open('/')
  const section = (name: string) => page.getByRole('region', { name })
  await section('Recently read').getByRole('link', { name: 'Drafted page' }).waitFor()
  await section('Changed by others').getByRole('link', { name: 'Drafted page' }).waitFor()
  assert.equal(await section('Changed by you').count(), 0)
  assert.deepEqual(await axeFindings(page), [])
  await section('Your unsaved drafts').getByRole('link', { name: 'Drafted page' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Resume draft' }).waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
})
