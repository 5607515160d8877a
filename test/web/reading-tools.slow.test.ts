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

test('the head of a long table stays in view', async () => {
  const { page, open, context } = await newVisitor(browser, service, WIDE)
  await open('/pages/docs/tools')
  const head = page.locator('.prose table').last().getByRole('columnheader', { name: 'Row' })
  await page.locator('.prose .table.fits').last().waitFor()
  await page.getByText('Row 30', { exact: true }).scrollIntoViewIfNeeded()
  const top = await head.evaluate((cell) => cell.getBoundingClientRect().top)
  const bar = await page.locator('.where').evaluate((each) => each.getBoundingClientRect().bottom)
  assert.ok(Math.abs(top - bar) < 5, `${top}, ${bar}`)
  await context.close()
})

test('the tabs of a page stay in view, and cover neither the head of a table nor the section of a link', async () => {
  for (const [width, height] of [
    [1440, 900],
    [360, 740],
  ] as const) {
    const { page, open, context } = await newVisitor(browser, service, { viewport: { width, height } })
    const rows = `| a | b |\n| - | - |\n${'| 1 | 2 |\n'.repeat(80)}`
    const body = `# Bar\n\n${rows}\n## Section\n\n${'Text.\n\n'.repeat(60)}`
    const path = `/pages/docs/bar-${width}`
    assertStatus(await service.admin.put(path, body), 201)
    await open(path)
    await page.waitForFunction(() => {
      scrollTo(0, 1200) // again, if the page was not as long before
      const tabs = document.querySelector('.tabs')?.getBoundingClientRect()
      const head = document.querySelector('.prose thead th')?.getBoundingClientRect()
      return scrollY > 1000 && tabs && head && tabs.top >= 0 && head.top >= tabs.bottom - 2
    })
    await page.emulateMedia({ forcedColors: 'active' })
    const lines = await page
      .locator('.where .tabs > ul > li > a')
      .evaluateAll((tabs) => tabs.map((tab) => getComputedStyle(tab).borderBottomColor))
    assert.equal(new Set(lines.slice(1)).size, 1)
    assert.notEqual(lines[0], lines[1])
    await page.emulateMedia({ forcedColors: 'none' })
    await open(`${path}#user-content-section`)
    await page.waitForFunction(() => {
      const tabs = document.querySelector('.tabs')?.getBoundingClientRect()
      const heading = document.querySelector('.prose h2')?.getBoundingClientRect()
      return tabs && heading && tabs.top >= 0 && heading.top >= tabs.bottom && heading.top < innerHeight
    })
    await context.close()
  }
})

test('under the title a page says who changed it and when, on one line at any width', async () => {
  const { page, open, context } = await newVisitor(browser, service, {
    viewport: { width: 360, height: 700 },
  })
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
  await page.getByRole('link', { name: 'Handbook' }).click()
  await page.waitForURL('**/pages/docs/home')
  assertStatus(await service.admin.put('/pages/docs/index', '# Index\n'), 201)
  await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Handbook' }).click()
  await page.waitForURL('**/pages/docs/index')
  await open('/open/plain')
  assert.equal(new URL(page.url()).pathname, '/browse/plain')
  await context.close()
})

test('fragments in any form, clicked and typed, jump to their heading', async () => {
  const targets = [
    '#Setup',
    '/pages/docs/jump#setup',
    `${service.admin.base}/pages/docs/jump#Setup`,
    './jump#user-content-setup',
  ]
  const links = targets.map((target, index) => `[link ${index}](${target})\n\n`).join('')
  await service.admin.write(
    'docs/jump',
    `# Jump\n\n${links}${'Text.\n\n'.repeat(80)}## Setup\n\n${'Text.\n\n'.repeat(80)}`,
  )
  const { page, open, context, complaints } = await newVisitor(browser, service, WIDE)
  const heading = page.getByRole('heading', { name: 'Setup' })
  const isReached = () =>
    page.waitForFunction(() => {
      const target = document.querySelector(':target')
      const top = target?.getBoundingClientRect().top ?? -1
      return target?.textContent.includes('Setup') && top >= 0 && top < innerHeight / 2
    })
  for (const index of targets.keys()) {
    await open('/pages/docs/jump')
    await page.getByRole('link', { name: `link ${index}` }).click()
    await isReached()
  }
  for (const fragment of ['#Setup', '#setup', '#SETUP', '#user-content-setup', '#user-content-Setup']) {
    await page.goto('about:blank')
    await open(`/pages/docs/jump${fragment}`)
    await isReached()
  }
  assert.equal(await heading.count(), 1)
  assert.deepEqual(complaints, [])
  await context.close()
})

test('on paper no column of a very wide table is lost', async () => {
  const row = (text: (column: number) => string, count: number) =>
    `| ${Array.from({ length: count }, (_, column) => text(column)).join(' | ')} |\n`
  const table = (count: number) =>
    row((column) => `Heading${column}`, count) + row(() => '---', count) + row(() => 'internationalisation', count)
  const counts = [4, 8, 12, 16, 30]
  await service.admin.write('docs/paper', `# Wide\n\n${counts.map(table).join('\nText.\n\n')}`)
  // The width of A4 between its margins.
  const { page, open, context } = await newVisitor(browser, service, {
    viewport: { width: 672, height: 1000 },
  })
  await open('/pages/docs/paper')
  await page.emulateMedia({ media: 'print' })
  const widths = await page
    .locator('.prose .table')
    .evaluateAll((tables) => tables.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth))
  assert.deepEqual(
    widths,
    counts.map(() => 0),
  )
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

test('in both directions of text the search box covers neither its placeholder nor its button', async () => {
  const { page, open, context } = await newVisitor(browser, service, WIDE)
  await open('/')
  for (const dir of ['ltr', 'rtl']) {
    await page.evaluate((value) => document.documentElement.setAttribute('dir', value), dir)
    const boxes = await Promise.all(
      ['.find input', '.find .switch', '.find > .icon'].map((part) => page.locator(part).boundingBox()),
    )
    const [first, second, third] = boxes.filter((box) => box !== null).sort((a, b) => a.x - b.x)
    assert.ok(first && second && third)
    assert.ok(first.x + first.width <= second.x + 1 && second.x + second.width <= third.x + 1, dir)
    assert.equal(await page.locator('.find input').evaluate((input) => getComputedStyle(input).direction), dir)
  }
  await context.close()
})
