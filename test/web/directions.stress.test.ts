import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { newVisitor } from '../support/visitor.ts'
import { type Stage, startStage } from './screens.ts'

const ARABIC = 'دليل الفريق 2 (مسودة)'
const HEBREW = 'מדריך הצוות'
const BODY = `# دليل الفريق

مرحبا بكم في recto، وهذا نص طويل.

> اقتباس: 1, 2.

> [!NOTE]
> ملاحظة.

- أول
- second, in English.

1. חדש

| الاسم | Name |
| - | - |
| واحد | One! |

\`\`\`js
const a = 1 // تعليق
\`\`\`

An English paragraph.

<div dir="rtl">

Latin in a box that has a direction.

</div>

[رابط](./${encodeURIComponent('غير موجود')})
`
const PATH = 'דף/صفحة'
const address = PATH.split('/').map(encodeURIComponent).join('/')

let stage: Stage
let browser: Browser
before(async () => {
  stage = await startStage({ said: ARABIC, body: BODY, answer: ARABIC })
  const { admin } = stage.service
  for (const path of [address, `${address}/${encodeURIComponent('تحت')}`, encodeURIComponent('محذوف')]) {
    assertStatus(await admin.put(`/pages/docs/${path}`, `# ${HEBREW}\n\n${BODY}`), 201)
  }
  assertStatus(await admin.delete(`/pages/docs/${encodeURIComponent('محذوف')}`, { 'if-match': '*' }), 204)
  browser = await startBrowser()
})
after(async () => {
  await browser?.close()
  await stage?.[Symbol.asyncDispose]()
})

test('right-to-left titles, names, paths and texts are isolated on every screen', async () => {
  const { page, open } = await newVisitor(browser, stage.service)
  const words = encodeURIComponent('دليل')
  const screens = [
    ...stage.screens.values(),
    ...['pages', 'edit', 'history', 'move', 'delete', 'metadata', 'graph', 'fragments/panel'].map(
      (screen) => `/${screen}/docs/${address}`,
    ),
    `/browse/docs?prefix=${encodeURIComponent('דף/')}`,
    `/move-folder/docs/${encodeURIComponent('דף')}`,
    `/delete-folder/docs/${encodeURIComponent('דף')}`,
    `/new/docs?path=${address}/x`,
    `/find?q=${words}`,
    '/reports/docs?show=orphans',
    '/reports/docs?show=wanted',
  ]
  await open('/offline')
  const found = await page.evaluate(findTorn, screens)
  assert.ok(found.texts > 300, `${found.texts} texts`)
  assert.deepEqual(found.torn, [])
})

test('each block of a page follows its first strong character, and code stays left to right', async () => {
  const { page, open } = await newVisitor(browser, stage.service)
  await open(`/pages/docs/${address}`)
  const prose = page.locator('article.prose')
  const directionOf = (selector: string, index = 0) =>
    prose
      .locator(selector)
      .nth(index)
      .evaluate((element) => getComputedStyle(element).direction)
  for (const selector of ['h1', 'p:not(.byline)', 'blockquote', '.alert', 'ul', 'ol', 'table']) {
    assert.equal(await directionOf(selector), 'rtl', selector)
  }
  assert.equal(await directionOf('pre'), 'ltr')
  const english = prose.getByText('An English paragraph.')
  assert.equal(await english.evaluate((element) => getComputedStyle(element).direction), 'ltr')
  const boxed = prose.getByText('Latin in a box')
  assert.equal(await boxed.evaluate((element) => getComputedStyle(element).direction), 'rtl')
  // The bullets are on the right, and so is the English item; its full stop is at its own end.
  const [list, item] = await Promise.all([
    prose.locator('ul').first().boundingBox(),
    prose.locator('ul li').nth(1).evaluate(edgesOfText),
  ])
  assert.ok(list && Math.abs(list.x + list.width - 25.6 - item.right) < 6, JSON.stringify([list, item]))
  assert.ok(item.stop > item.left + 20, JSON.stringify(item))
})

test('the editor shows each line in its own direction', async () => {
  const { page, open } = await newVisitor(browser, stage.service, { source: true })
  await open(`/edit/docs/${address}`)
  const lines = page.locator('.cm-line')
  await lines.first().waitFor()
  const directions = await lines.evaluateAll((all) =>
    all.map((line) => [line.textContent, getComputedStyle(line).direction] as const),
  )
  assert.equal(directions.find(([text]) => text?.startsWith('مرحبا'))?.[1], 'rtl')
  assert.equal(directions.find(([text]) => text?.startsWith('An English'))?.[1] ?? 'ltr', 'ltr')
})

/** Runs in the page: right-to-left texts of the screens that no element isolates. */
async function findTorn(screens: readonly string[]): Promise<{ texts: number; torn: string[] }> {
  const letters = /[\u0590-\u08ff]/
  const torn: string[] = []
  let texts = 0
  for (const screen of screens) {
    const response = await fetch(screen, { headers: { accept: 'text/html' } })
    const markup = await response.text()
    const { body, head } = new DOMParser().parseFromString(markup, 'text/html')
    if (/&lt;\/?bdi/.test(markup) || head.querySelector('bdi')) torn.push(`${screen} shows bdi`)
    const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!letters.test(node.textContent ?? '')) continue
      texts++
      // Browsers isolate the text of controls and of drawings; code is left to right.
      if (!node.parentElement?.closest('bdi, [dir], pre, option, textarea, svg')) {
        torn.push(`${screen}: ${node.parentElement?.outerHTML.slice(0, 120)}`)
      }
    }
    for (const element of body.querySelectorAll('*')) {
      for (const { name, value } of element.attributes) {
        if (value.includes('<bdi')) torn.push(`${screen}: ${name}=${value}`)
      }
    }
  }
  return { texts, torn }
}

/** Runs in the page: the edges of the text of an item, and where its last character is. */
function edgesOfText(item: Element): { left: number; right: number; stop: number } {
  const text = item.lastChild as Text // its only child
  const range = document.createRange()
  range.selectNodeContents(item)
  const { left, right } = range.getBoundingClientRect()
  range.setStart(text, text.data.trimEnd().length - 1)
  range.setEnd(text, text.data.trimEnd().length)
  return { left, right, stop: range.getBoundingClientRect().left }
}
