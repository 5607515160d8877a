import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { signedIn } from '../support/signed-in.ts'
import { type Stage, startStage } from './screens.ts'

// Every text of a screen is a message. In en-XA, a language for tests, messages are between brackets, and longer; what
// people wrote begins with Zz here, or is code.
const TEXTS = {
  said: 'Zzsaid',
  body: '# Zzguide\n\n## Zzone\n\nZztext zzwith [zza zzlink](./other) zzand [zznone](./zznone).\n\n```js\nzzconst = 1\n```\n\n| zza | zzb |\n| - | -: |\n| 1 | 2 |\n\n- [ ] zza zztask\n\n> [!NOTE]\n> Zznote.\n',
  answer: '{"zzok":false}',
}
const WIDTH = 375
/** The Markdown that a block stands for. */
const SIGNS = '#page-suggestions .quiet'
/** What the API or a template says on a screen, in its language: texts by screen. */
const CONTENT: Readonly<Record<string, string>> = {
  'API reference': 'main a',
  'an operation of the API': 'a, main',
  'a template': 'main, .crumbs a',
  gallery: '.card, main li',
  'audit log': '.rows .quiet, .name',
  'who wrote what': 'main li',
  finding: '.hits p:not(.place)',
  blocks: SIGNS,
  selection: SIGNS,
  keys: SIGNS,
}

let stage: Stage
let browser: Browser
let context: BrowserContext
before(async () => {
  stage = await startStage(TEXTS)
  browser = await startBrowser()
  const { admin } = stage.service
  const phone = { locale: 'en-XA', viewport: { width: WIDTH, height: 800 } }
  context = await signedIn(browser, admin.base, admin.key ?? '', phone)
})
after(async () => {
  await browser?.close()
  await stage?.[Symbol.asyncDispose]()
})

test('every text of every screen is a message, and the longer texts fit a phone', async () => {
  const found: string[] = []
  const left = [...stage.screens]
  await Promise.all(
    [0, 1].map(async () => {
      const page = await context.newPage()
      for (let next = left.pop(); next; next = left.pop()) {
        const [name, address] = next
        await page.goto(stage.service.admin.base + address, { waitUntil: 'networkidle' })
        for (const line of await findFaults(page, CONTENT[name])) found.push(`${name}: ${line}`)
      }
      await page.close()
    }),
  )
  assert.deepEqual(found.sort(), [])
})

test('what scripts show is messages: the palette, the tree, the editor and its source', async () => {
  const page = await context.newPage()
  await page.setViewportSize({ width: 1400, height: 900 })
  const found: string[] = []
  const look = async (name: string) => {
    for (const line of await findFaults(page, CONTENT[name])) found.push(`${name}: ${line}`)
  }
  await page.goto(`${stage.service.admin.base}/pages/docs/guide/start`, { waitUntil: 'networkidle' })
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('option').first().waitFor()
  await look('palette')
  await page.keyboard.type('zz')
  await page.getByRole('option', { name: 'Zzguide' }).first().waitFor()
  await look('palette with results')
  await page.keyboard.press('Escape')
  await page.locator('.page-tree .act').first().click()
  await look('tree')
  await page.goto(`${stage.service.admin.base}/edit/docs/guide/start`, { waitUntil: 'networkidle' })
  const text = page.locator('.page-text [contenteditable=true]').first()
  await text.click()
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.keyboard.type('/')
  await page.getByRole('option').first().waitFor()
  await look('blocks')
  await page.keyboard.type('zz')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Shift+Home')
  await page.locator('.selection-bar button').first().waitFor()
  await look('selection')
  await page.locator('.editor-tools > button').last().click()
  await page.locator('dialog[open] dl.key-list').waitFor()
  await look('keys')
  await page.locator('dialog[open] button').click()
  await page.locator('.modes button').last().click()
  await page.locator('.cm-content').click()
  await page.keyboard.press('ControlOrMeta+f')
  await page.locator('.cm-search').waitFor()
  await look('source')
  await page.close({ runBeforeUnload: false })
  assert.deepEqual(found.sort(), [])
})

/** The texts that are no messages, outside of `content`; and a screen that is wider than its window. */
async function findFaults(page: Page, content?: string): Promise<string[]> {
  const lines = await page.evaluate(findPlainTexts, content)
  const { scrollWidth, clientWidth } = await page.evaluate(() => document.documentElement)
  return scrollWidth > clientWidth ? [...lines, `is ${scrollWidth} wide`] : lines
}

/** Runs in the page. */
function findPlainTexts(content: string | undefined): string[] {
  const noMessages = [
    'code, kbd, pre, time, textarea, script, style, svg, .prose, .emoji-list, .source-diff, td.text, .code-mirror .cm-content',
    // Languages, by Intl.
    'select[name="language"] option',
    ...(content === undefined ? [] : [content]),
  ].join()
  /** Names of the world, paths, addresses and keys, dates and sizes by Intl. */
  const own =
    /\S*[/@\d]\S*|\S+\.\w\S*|\bzz\S*|\b(?:Recto|docs|empty|guide|start|other|gone|templates|note|picture|deleted|draft|shot|due|list|status|title|Agent zz\S*|first admin key|SCIM|Chrome|Linux|Ctrl|Shift|bytes?|KB)\b|^(?:: )?(?:key|Admin)(?: ·)?$|^personal$|\bPersonal\b|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b|\b[AP]M\b/giu
  const found = new Set<string>()
  const check = (text: string, where: string) => {
    const words = text.replace(/\s+/g, ' ').trim()
    if (/\p{L}{2,}/u.test(words.replace(own, ''))) found.add(`${where}: ${words.slice(0, 120)}`)
  }
  const withoutMessages = (text: string): string => {
    const plain = text.replace(/⟦[^⟦⟧]*⟧/g, '')
    return plain === text ? plain : withoutMessages(plain)
  }
  check(withoutMessages(content === undefined ? document.title : ''), 'title')
  let depth = 0
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    let plain = ''
    for (const character of node.nodeValue ?? '') {
      if (character === '⟦') depth++
      if (depth === 0) plain += character
      if (character === '⟧') depth--
    }
    const element = node.parentElement
    if (element && !element.closest(noMessages) && !element.closest('noscript'))
      check(plain, `${element.tagName} ${element.className}`)
  }
  for (const name of [
    'aria-label',
    'aria-description',
    'title',
    'placeholder',
    'alt',
    'data-when-done',
    'data-title',
  ]) {
    for (const element of document.body.querySelectorAll(`[${name}]:not(time)`)) {
      const text = withoutMessages(element.getAttribute(name) ?? '')
      const isMessage = name === 'data-title' || !element.closest(noMessages)
      if (isMessage) check(text, `${element.tagName} [${name}]`)
    }
  }
  return [...found]
}
