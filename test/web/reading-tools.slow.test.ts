import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { axeFindings } from '../support/axe.ts'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

const WIDE = { viewport: { width: 1440, height: 700 } }
const filler = 'Some words of the section.\n\n'.repeat(12)
const rows = Array.from({ length: 40 }, (_, index) => `| Row ${index + 1} | ${(index * 7) % 40} |`).join('\n')
const BODY = `# Tools

\`\`\`sh
echo "a & b"
\`\`\`

| Name | Points |
| --- | ---: |
| Ten 10 | 1,200 |
| two 2 |  |
| Two 10 | 30 |
| ten 9 | -4 |

## First part

${filler}
## Second part

${filler}
## Long table

| Row | Value |
| --- | --- |
${rows}

${filler}
## Last part

See [a site](https://example.com/site) and <https://example.com/bare>.

<details><summary>More</summary>

Folded text.

</details>

The end.
`

let service: Service
let browser: Browser
before(async () => {
  ;[service, browser] = await Promise.all([startService(), startBrowser()])
  await service.admin.space('docs', { name: 'Handbook' })
  for (const [path, body] of [
    ['tools', BODY],
    ['home', '# Welcome here\n'],
  ] as const) {
    assertStatus(await service.admin.put(`/pages/docs/${path}`, body), 201)
  }
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

function clipboard(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText())
}

test('code and the URLs of headings are copied by mouse and by keyboard', async () => {
  const { page, open, context, complaints } = await newVisitor(browser, service, {
    ...WIDE,
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  await open('/pages/docs/tools')
  const copy = page.getByRole('button', { name: 'Copy code' })
  await page.locator('.code-block pre').focus()
  await page.keyboard.press('Tab')
  assert.equal(await copy.evaluate((button) => button === document.activeElement), true)
  await page.keyboard.press('Enter')
  await page.getByText('Code copied').waitFor()
  assert.equal(await clipboard(page), 'echo "a & b"\n')

  const anchor = page.getByRole('link', { name: 'Link to Second part' })
  await anchor.focus()
  await page.keyboard.press('Enter')
  await page.getByText('Link copied').waitFor()
  assert.equal(await clipboard(page), `${service.admin.base}/pages/docs/tools#user-content-second-part`)
  assert.deepEqual(await axeFindings(page), [])
  assert.deepEqual(complaints, [])
  await context.close()
})

test('the table of contents marks the section that is being read', async () => {
  const { page, open, context } = await newVisitor(browser, service, WIDE)
  await open('/pages/docs/tools')
  const contents = page.locator('.contents.beside-text')
  const present = contents.locator('[aria-current="location"]')
  await contents.getByRole('link', { name: 'Second part' }).click()
  await contents.locator('[aria-current]', { hasText: 'Second part' }).waitFor()
  await page.keyboard.press('End')
  await contents.locator('[aria-current]', { hasText: 'Last part' }).waitFor()
  assert.equal(await present.count(), 1)
  await page.keyboard.press('Home')
  await present.waitFor({ state: 'detached' })
  await context.close()
})

test('a table is sorted by a click on a heading: ascending, descending, and as it was written', async () => {
  const { page, open, context } = await newVisitor(browser, service, WIDE)
  await open('/pages/docs/tools')
  const table = page.locator('.prose table').first()
  const names = () => table.locator('tbody td:first-child').allInnerTexts()
  const sort = (name: string) => table.getByRole('button', { name })
  await sort('Points').focus()
  await page.keyboard.press('Enter')
  assert.deepEqual(await names(), ['ten 9', 'Two 10', 'Ten 10', 'two 2'])
  assert.equal(await table.getByRole('columnheader', { name: 'Points' }).getAttribute('aria-sort'), 'ascending')
  await page.keyboard.press('Enter')
  assert.deepEqual(await names(), ['Ten 10', 'Two 10', 'ten 9', 'two 2'])
  await page.keyboard.press('Enter')
  assert.deepEqual(await names(), ['Ten 10', 'two 2', 'Two 10', 'ten 9'])
  await sort('Name').click()
  assert.deepEqual(await names(), ['ten 9', 'Ten 10', 'two 2', 'Two 10'])
  await context.close()
})

test('under the title a page says who changed it and when, on one line at any width', async () => {
  const { page, open, context } = await newVisitor(browser, service, { viewport: { width: 360, height: 700 } })
  await open('/pages/docs/tools')
  const byline = page.locator('.heading + .byline')
  assert.match(await byline.innerText(), /^Changed by .+\s· /)
  assert.ok(((await byline.boundingBox())?.height ?? 99) < 30)
  await byline.getByRole('link').click()
  await page.waitForURL('**/history/docs/tools')
  await context.close()
})

test('a space opens on its page `index`, else `home`, else on the list of its pages', async () => {
  const { page, open, context } = await newVisitor(browser, service)
  await service.admin.space('plain', { name: 'Plain' })
  await open('/')
  await page.getByRole('main').getByRole('link', { name: 'Handbook' }).click()
  await page.waitForURL('**/pages/docs/home')
  assertStatus(await service.admin.put('/pages/docs/index', '# Index\n'), 201)
  await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Handbook' }).click()
  await page.waitForURL('**/pages/docs/index')
  await open('/open/plain')
  assert.equal(new URL(page.url()).pathname, '/browse/plain')
  await context.close()
})

test('on paper a page has its text, the targets of links and no controls', async () => {
  const { page, open, context } = await newVisitor(browser, service, WIDE)
  await open('/pages/docs/tools')
  await page.locator('.table .sort').first().waitFor()
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  for (const part of [page.locator('.top'), page.locator('.where'), page.locator('#page-tree')]) {
    assert.equal(await part.isVisible(), false)
  }
  assert.equal(await page.getByRole('button', { name: 'Copy code' }).isVisible(), false)
  assert.equal(await page.getByText('Row 40', { exact: true }).isVisible(), true)
  assert.equal(await page.getByText('Folded text.').isVisible(), true)
  const printed = (href: string) =>
    page.locator(`a[href="${href}"]`).evaluate((link) => getComputedStyle(link, '::after').content)
  assert.match(await printed('https://example.com/site'), /https:\/\/example\.com\/site/)
  assert.equal(await printed('https://example.com/bare'), 'none')
  // Chromium repeats the head of a table on each page, but not a button in it.
  assert.equal(
    await page
      .locator('.sort')
      .first()
      .evaluate((sort) => getComputedStyle(sort).display),
    'contents',
  )
  assert.match(await page.locator('.byline time').innerText(), /^\w{3} \d+, \d{4}, \d+:\d\d/)
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)')
  await page.evaluate(() => dispatchEvent(new Event('afterprint')))
  assert.match(await page.locator('.byline time').innerText(), /now|ago/)
  await context.close()
})
