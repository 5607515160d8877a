import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { png } from '../support/files.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

let service: Service
let browser: Browser
before(async () => {
  ;[service, browser] = await Promise.all([startService(), startBrowser()])
  await service.admin.space('docs', { name: 'Handbook' })
  assertStatus(await service.admin.put('/pages/docs/guide/setup', '# Setting up'), 201)
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

const IMAGE = { name: 'plan.png', mimeType: 'image/png', buffer: png(40, 30) }
const editor = (page: Page) => page.getByRole('textbox', { name: 'Text of the page' })
const setUp = (page: Page) => page.getByRole('option', { name: /Setting up/ })

/** The page with its image and links, as its readers see it. */
async function assertWritten(page: Page, path: string): Promise<void> {
  await page.getByRole('button', { name: 'Create page' }).click()
  await page.waitForURL(`**/pages/docs/${path}`)
  const image = page.getByRole('article').getByRole('img', { name: 'The plan' })
  await image.waitFor()
  assert.equal(await image.evaluate((shown: HTMLImageElement) => shown.decode().then(() => shown.naturalWidth)), 40)
  const { text } = await service.admin.get(`/pages/docs/${path}.md`)
  assert.match(
    text,
    /\n\nSee \[Setting up\]\(\/pages\/docs\/guide\/setup\), \[Example\]\(https:\/\/example\.org\/\) and \[news\]\(\/news\)\./,
  )
  assert.match(text, /\n\n!\[The plan\]\(\.\/.+-1\.png\)\n$/)
}

test('a page with an image and three links is written with the mouse, without leaving the editor', async () => {
  const { page, open, complaints, context } = await newVisitor(browser, service)
  await open('/new/docs')
  await page.getByLabel('Title').fill('By mouse')
  await editor(page).click()
  await page.keyboard.type('See ')
  await page.getByRole('button', { name: 'Link', exact: true }).click()
  await page.keyboard.type('Sett')
  await setUp(page).click()
  await page.keyboard.type(', Example')
  await page.keyboard.press('Shift+Control+ArrowLeft')
  await editor(page).evaluate((content) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', 'https://example.org/')
    content.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  })
  await page.keyboard.type(' and news')
  await page.keyboard.press('Shift+Control+ArrowLeft')
  await page.getByRole('button', { name: 'Link', exact: true }).click()
  await page.keyboard.type('/news\n')
  await page.keyboard.press('End')
  await page.keyboard.type('.\n')
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Insert images and files' }).click()
  await (await choosing).setFiles([IMAGE])
  await page.getByLabel('Describe the image').fill('The plan')
  await page.getByRole('button', { name: 'Done: plan.png' }).click()
  await assertWritten(page, 'by-mouse')
  assert.deepEqual(complaints, [])
  await context.close()
})

test('a page with an image and three links is written with the keyboard alone', async () => {
  const { page, open, complaints, context } = await newVisitor(browser, service)
  const { keyboard } = page
  const hasFocus = (selector: string) =>
    page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector)
  const tabTo = async (selector: string, key = 'Tab') => {
    for (let at = 0; at < 40 && !(await hasFocus(selector)); at++) await keyboard.press(key)
    assert.equal(await hasFocus(selector), true, `${key} does not reach ${selector}`)
  }
  // Listened for from the start: the browser learns of it on another way than of keys, which may be faster.
  page.on('filechooser', (chooser) => chooser.setFiles([IMAGE]))
  await open('/new/docs')
  await page.locator('.page-text .prose').waitFor()
  await keyboard.type('By keys')
  await tabTo('.page-text .prose')
  await keyboard.type('See [[Sett')
  await setUp(page).waitFor()
  // The editor leaves keys to the text for so long, for whoever types on.
  await page.waitForTimeout(100)
  await keyboard.press('Enter')
  await setUp(page).waitFor({ state: 'detached' })
  await keyboard.type(', [Example](https://example.org/) and [news](/news).\n')
  await keyboard.press('Escape')
  await tabTo('[aria-label="Insert images and files"]', 'Shift+Tab')
  await keyboard.press('Enter')
  await page.getByLabel('Describe the image').waitFor()
  await keyboard.press('Escape')
  await tabTo('.uploads input')
  await keyboard.type('The plan')
  await keyboard.press('Enter')
  await keyboard.press('Escape')
  await tabTo('button[type="submit"]')
  await assertWritten(page, 'by-keys')
  assert.deepEqual(complaints, [])
  await context.close()
})
