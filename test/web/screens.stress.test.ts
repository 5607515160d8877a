import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { HtmlValidate } from 'html-validate'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { html } from '../access/route-rules/rule.ts'
import { ROUTE_RULES } from '../access/route-rules.ts'
import { axeFindings } from '../support/axe.ts'
import { startBrowser } from '../support/browser.ts'
import { signedIn } from '../support/signed-in.ts'
import { watchPages } from '../support/watch-pages.ts'
import { type Stage, startStage } from './screens.ts'

let stage: Stage
let browser: Browser
let context: BrowserContext
before(async () => {
  stage = await startStage()
  browser = await startBrowser()
  const { admin } = stage.service
  context = await signedIn(browser, admin.base, admin.key ?? '', { reducedMotion: 'reduce' })
})
after(async () => {
  await browser?.close()
  await stage?.[Symbol.asyncDispose]()
})

/** Goes to every screen, some at a time, and gathers what `look` finds wrong there. */
async function onEveryScreen(look: (page: Page, name: string) => Promise<readonly string[]>): Promise<string[]> {
  const found: string[] = []
  const left = [...stage.screens]
  await Promise.all(
    [0, 1].map(async () => {
      const page = await context.newPage()
      for (let next = left.pop(); next; next = left.pop()) {
        const [name, address] = next
        await page.goto(stage.service.admin.base + address)
        for (const line of await look(page, name)) found.push(`${name}: ${line}`)
      }
      await page.close()
    }),
  )
  return found
}

test('axe-core finds no violations on any screen, light and dark', async () => {
  const found = await onEveryScreen(async (page) => {
    await page.emulateMedia({ colorScheme: 'light' })
    const light = await axeFindings(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    const dark = await axeFindings(page, ['color-contrast', 'link-in-text-block'])
    return [...light, ...dark.map((line) => `dark: ${line}`)]
  })
  assert.deepEqual(found, [])
})

test('the list has every screen, and each of them answers', async () => {
  const addresses = [...stage.screens.values()].map((address) => address.split('?')[0] ?? '')
  const missing = Object.entries(ROUTE_RULES)
    .filter(([route, { send, ok }]) => route.startsWith('GET /') && send === html && !ok?.includes(303))
    .map(([route]) => route.split(' ')[1] ?? '')
    // Fragments are parts of screens; `/inbox/:id` leads to another screen; jobs.stress.test.ts looks at jobs.
    .filter((route) => !/^\/(?:fragments\/|inbox\/:id|jobs\/)/.test(route))
    .filter((route) => {
      const pattern = new RegExp(
        `^${route
          .replace(/\/:\w+\?/, '(?:/[^/]+)?')
          .replace(/:\w+/g, '[^/]+')
          .replace('*', '.+')}$`,
      )
      return !addresses.some((address) => pattern.test(address))
    })
  const silent: string[] = []
  for (const [name, address] of stage.screens) {
    const status = (await context.request.get(stage.service.admin.base + address)).status()
    if ((status === 200) === stage.errors.has(name)) silent.push(`${name}: ${status}`)
  }
  assert.deepEqual([...missing, ...silent], [])
})

test('the HTML of every screen is valid', async () => {
  const validator = new HtmlValidate({ extends: ['html-validate:standard'] })
  const found: string[] = []
  for (const [name, address] of stage.screens) {
    const answer = await context.request.get(stage.service.admin.base + address)
    const { results } = await validator.validateString(await answer.text())
    for (const { ruleId, line, column, message } of results.flatMap((result) => result.messages)) {
      found.push(`${name}:${line}:${column} ${ruleId}: ${message}`)
    }
  }
  assert.deepEqual(found, [])
})

test('every screen fits widths of 360 to 1,600 pixels, logs no error, violates no Content Security Policy and loads from its origin only', async () => {
  const watched = watchPages(context, stage.service.admin.base)
  const found = await onEveryScreen(async (page) => {
    const lines: string[] = []
    await page.waitForLoadState('networkidle')
    for (const width of [1600, 1024, 768, 645, 360]) {
      await page.setViewportSize({ width, height: 800 })
      const wide = await page.evaluate(() => document.documentElement.scrollWidth)
      if (wide > width) lines.push(`is ${wide} wide in ${width}`)
    }
    return lines
  })
  assert.deepEqual([...found, ...watched.stop()], [])
})

test('the keyboard reaches every control of every screen with visible focus', async () => {
  const found = await onEveryScreen(async (page) => {
    await page.setViewportSize({ width: 1280, height: 900 })
    // What islands put in place of what was there is in place by then.
    await page.waitForLoadState('networkidle')
    const count = await page.evaluate(noteControls)
    // In the editor Tab indents; Escape lets it lead out.
    const typed = (await page.locator('.cm-editor, .page-text').count()) > 0
    // What the editor shows beside itself comes later, with links of its own.
    await pressTab(page, count + (typed ? 40 : 2), typed)
    return page.evaluate(findUnreached)
  })
  assert.deepEqual(found, [])
})

test('the reading page is small and loads without layout shifts', async () => {
  const { admin } = stage.service
  const fresh = await signedIn(browser, admin.base, admin.key ?? '', { serviceWorkers: 'block' })
  const page = await fresh.newPage()
  const session = await fresh.newCDPSession(page)
  let bytes = 0
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await session.send('Network.enable')
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  await page.goto(`${admin.base}/pages/docs/guide/start`, { waitUntil: 'networkidle' })
  // A hundredth of what Core Web Vitals call good: less is the rounding of a pixel.
  const shifts = await page.evaluate(async () => {
    type Shift = PerformanceEntry & {
      value: number
      sources: { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[]
    }
    const describe = ({ value, sources }: Shift) =>
      `${value} ${sources.map(({ node, previousRect: a, currentRect: b }) => `${node instanceof Element ? node.outerHTML.slice(0, 80) : node?.textContent?.slice(0, 80)} ${JSON.stringify([a, b])}`).join()}`
    // The fonts are there, and what followed from them is laid out.
    await document.fonts.ready
    for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame)
    const observer = new PerformanceObserver(() => {})
    observer.observe({ type: 'layout-shift', buffered: true })
    const shifts = observer.takeRecords() as Shift[]
    return shifts.filter(({ value }) => value > 0.001).map(describe)
  })
  await fresh.close()
  assert.ok(bytes > 2_000 && bytes < 60 * 1024, `${bytes} bytes`)
  assert.deepEqual(shifts, [])
})

/**
 * Sends all key events at once, which the browser processes in their order: thousands of round trips would take a
 * minute.
 */
async function pressTab(page: Page, times: number, escapeFirst: boolean): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const press = (key: string, windowsVirtualKeyCode: number) =>
    ['rawKeyDown', 'keyUp'].map((type) =>
      session.send('Input.dispatchKeyEvent', {
        type: type as 'rawKeyDown' | 'keyUp',
        key,
        code: key,
        windowsVirtualKeyCode,
      }),
    )
  const presses = Array.from({ length: times }, () => [...(escapeFirst ? press('Escape', 27) : []), ...press('Tab', 9)])
  await Promise.all(presses.flat())
  await session.detach()
}

/** Runs in the page: notes every control that can be reached, and from now on which ones are. */
function noteControls(): number {
  const controls = [
    ...document.querySelectorAll(
      'a[href], button, input:not([type="hidden"]), select, textarea, summary, [tabindex]:not([tabindex="-1"])',
    ),
  ].filter(
    (element) =>
      element.checkVisibility({ visibilityProperty: true }) &&
      !element.matches(':disabled') &&
      // In the text of the editor the caret is the way to change what a control shows.
      !element.closest('.cm-content, .page-text .prose'),
  )
  // Of a group of radio buttons one is reached; arrows lead on to the others.
  const single = controls.filter((element, index) => {
    if (!(element instanceof HTMLInputElement) || element.type !== 'radio') return true
    const group = controls.filter(
      (other) => other instanceof HTMLInputElement && other.type === 'radio' && other.name === element.name,
    )
    const checked = group.find((other) => (other as HTMLInputElement).checked) ?? group[0]
    return checked === controls[index]
  })
  const state = { left: new Set(single), unseen: [] as string[] }
  Object.assign(window, { controlsOfTest: state })
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof Element)) return
    state.left.delete(target)
    // In a text a caret shows it, in a drawing its shape.
    if (!(target instanceof HTMLElement) || target.isContentEditable) return
    // The ring of the search field follows the pill around it.
    const { outlineStyle, boxShadow } = getComputedStyle((target.matches('input') && target.closest('.find')) || target)
    if (outlineStyle === 'none' && boxShadow === 'none') state.unseen.push(target.outerHTML.slice(0, 120))
  })
  // Each part of a date is a stop of its own.
  return single.length + 6 * document.querySelectorAll('input[type="date"]').length
}

/** Runs in the page: what was not reached, and what does not show that it is. */
function findUnreached(): string[] {
  const { left, unseen } = (window as unknown as { controlsOfTest: { left: Set<Element>; unseen: string[] } })
    .controlsOfTest // as noted above
  return [
    ...[...left].map((element) => `not reached: ${element.outerHTML.slice(0, 120)}`),
    ...unseen.map((text) => `focus is not seen: ${text}`),
  ]
}
