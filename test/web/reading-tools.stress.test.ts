import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
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
  const { page, open, context } = await newVisitor(browser, service, { viewport: { width: 672, height: 1000 } })
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
