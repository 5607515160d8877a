import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { png, putBytes } from '../support/files.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

const SECTIONS = 300

let service: Service
let browser: Browser
before(async () => {
  ;[service, browser] = await Promise.all([startService(), startBrowser()])
  await service.admin.space('docs', { name: 'Handbook' })
  for (const name of ['plan', 'large (1)']) {
    assertStatus(await putBytes(service.admin, `/files/docs/${encodeURIComponent(name)}.png`, png(300, 200)), 201)
  }
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

test('the editor of a large page shows, draws and replaces only what is near', async () => {
  const words = 'Many words of a paragraph that goes on. '.repeat(8)
  const section = (number: number) =>
    `## Section ${number}\n\n${words}\n\nWhere $a_{${number}}^2$ is:\n\n$$\n\\frac{a}{${number}}\n$$\n\n![Plan](plan.png)\n`
  const text = Array.from({ length: SECTIONS }, (_, number) => section(number)).join('\n')
  assertStatus(await service.admin.put('/pages/docs/large', text), 201)
  const { page, open, complaints, context } = await newVisitor(browser, service, { source: true })
  const sent: string[] = []
  page.on('request', (request) => sent.push(new URL(request.url()).pathname))
  await open('/edit/docs/large')
  // The browser fills no text area with a large text.
  assert.equal(await page.locator('textarea[name="body"]').evaluate((area) => area.textContent), '')
  await page.getByRole('toolbar').getByRole('button', { name: 'Preview' }).click()
  const preview = page.locator('.preview')
  await preview.locator('.katex').first().waitFor()
  assert.equal(await preview.locator('.math').count(), 2 * SECTIONS)
  const drawn = await preview.locator('.katex').count()
  assert.ok(drawn < SECTIONS / 4, `${drawn} formulas are drawn`)
  const lines = await page.locator('.cm-line').count()
  assert.ok(lines < SECTIONS, `${lines} lines are shown`)
  assert.deepEqual(sent.filter((path) => path.startsWith('/preview/')).length, 1)

  // Its blocks stay the same elements, but for the one that changes.
  const blocks = await preview.locator('.prose').evaluate((prose) => {
    for (const child of prose.children) (child as HTMLElement).dataset.seen = ''
    return prose.children.length
  })
  const content = page.getByRole('textbox', { name: 'Markdown of the page' })
  await content.press('ControlOrMeta+Home')
  await page.keyboard.press('End')
  await page.keyboard.type(' renamed')
  await preview.getByRole('heading', { name: 'Section 0 renamed' }).waitFor()
  assert.equal(await preview.locator('.prose > [data-seen]').count(), blocks - 1)

  // What comes near is drawn.
  await content.press('ControlOrMeta+End')
  const last = preview.locator('.math', { hasText: String(SECTIONS - 1) }).last()
  await last.locator('.katex').waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
})

test('a large text with line breaks, entities and tags is in the editor as it is, and without script in a text area', async () => {
  const text = `\r\n</textarea></noscript><b>&amp; "it's" &lt;\r\n${'Words. '.repeat(20_000)}\r\nend\r\n`
  assertStatus(await service.admin.put('/pages/docs/marked', text), 201)
  const { page, open, complaints, context } = await newVisitor(browser, service, { source: true })
  await open('/edit/docs/marked')
  const content = page.getByRole('textbox', { name: 'Markdown of the page' })
  await content.press('ControlOrMeta+End')
  await page.keyboard.type('more')
  await page.keyboard.press('ControlOrMeta+s')
  await page.locator('.save-bar .state').getByText('Saved as version 2.').waitFor()
  assert.equal((await service.admin.get('/pages/docs/marked.md')).text, `${text}more`)
  assert.deepEqual(complaints, [])
  await context.close()
  const plain = await newVisitor(browser, service, { javaScriptEnabled: false })
  await plain.open('/edit/docs/marked')
  const area = plain.page.getByRole('textbox', { name: 'Markdown' })
  assert.equal(await area.inputValue(), `${text}more`.replaceAll('\r\n', '\n'))
  await plain.context.close()
})

test('an image takes its place in the editor before it is loaded', async () => {
  const text = 'First\n\n![Large](large%20%281%29.png)\n\nlast'
  assertStatus(await service.admin.put('/pages/docs/images', text), 201)
  const { page, context } = await newVisitor(browser, service)
  const loading = Promise.withResolvers<void>()
  await page.route('**/files/docs/large**', async (route) => {
    await loading.promise
    await route.continue()
  })
  // Its load event waits for the image.
  await page.goto(`${service.admin.base}/edit/docs/images`, { waitUntil: 'commit' })
  const image = page.locator('.picture img')
  await image.waitFor()
  const top = () =>
    page.locator('.page-text p', { hasText: 'last' }).evaluate((line) => line.getBoundingClientRect().top)
  const before = await top()
  const box = await image.boundingBox()
  assert.deepEqual([box?.width, box?.height], [300, 200])
  loading.resolve()
  await page.waitForFunction(() => document.querySelector<HTMLImageElement>('.picture img')?.naturalWidth === 300)
  assert.equal(await top(), before)
  await context.close()
})

test('the editor fills the window, and its save bar is in view', async () => {
  assertStatus(await service.admin.put('/pages/docs/short', 'short'), 201)
  const { page, open, context } = await newVisitor(browser, service)
  for (const [width, height] of [
    [360, 800],
    [768, 1024],
    [1440, 1000],
    [1920, 1080],
  ] as const) {
    await page.setViewportSize({ width, height })
    await open('/edit/docs/short')
    await page.locator('.page-text').waitFor()
    const cancel = await page.locator('.save-bar').getByRole('link', { name: 'Cancel' }).boundingBox()
    const editor = await page.locator('.page-text').boundingBox()
    const mode = await page.getByRole('button', { name: 'Source' }).boundingBox()
    assert.ok((mode?.x ?? width) + (mode?.width ?? 0) <= width, `at ${width} px the modes are in view`)
    const end = (cancel?.y ?? 0) + (cancel?.height ?? 0)
    assert.ok(end < height && end > height - 130, `at ${width} px the save bar ends at ${end} of ${height}`)
    assert.ok((editor?.height ?? 0) > height * 0.45, `at ${width} px the editor has ${editor?.height} of ${height}`)
  }
  await context.close()
})
