import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
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
  const pages = {
    'guide/start': '# Start\n\nSee [setup](./setup) and [nothing](./not%20there).\n\n## A\n\n## B\n\n## C\n',
    'guide/setup': '# Setting up\n\n[Start](./start)\n',
    'guide/setup/linux': '# On Linux\n',
    'guide-book': '# Book\n',
    'other/deep/page': '# Deep\n',
    drawn:
      '# Drawn\n\nIt is $x^2$.\n\n$$\n\\frac{1}{2}\n$$\n\n```mermaid\ngraph TD\n  A[Begin] --> B[End]\n```\n\n```mermaid\nno diagram\n```\n',
  }
  for (const [path, body] of Object.entries(pages)) {
    assertStatus(await service.admin.put(`/pages/docs/${path}`, body), 201)
  }
  await service.admin.patch('/pages/docs/guide/start/metadata', { set: { status: 'draft', tags: ['a', 'b'] } })
})
after(async () => {
  await browser.close()
  await service[Symbol.asyncDispose]()
})

/** How far the page moved while it loaded, as browsers measure it (Layout Instability). */
async function measureShifts(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const total = { value: 0 }
    Object.assign(globalThis, { shifts: total })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) total.value += (entry as unknown as { value: number }).value
    }).observe({ type: 'layout-shift', buffered: true })
  })
  return () => page.evaluate(() => (globalThis as unknown as { shifts: { value: number } }).shifts.value)
}

/** A proxy over which the rest of one document, from a text on, arrives a quarter of a second later. */
async function startSlowNetwork(service: string, path: string, from: string) {
  const server = createServer(async ({ url = '', headers }, response) => {
    const { cookie = '', accept = '*/*' } = headers
    const answer = await fetch(new URL(url, service), { headers: { cookie, accept } })
    const body = Buffer.from(await answer.arrayBuffer())
    response.statusCode = answer.status
    response.setHeader('content-type', answer.headers.get('content-type') ?? '')
    const end = url === path ? body.indexOf(from) : 0
    if (end < 0) return response.writeHead(500).end(`no ${from} in ${path}`)
    if (end > 0) {
      response.write(body.subarray(0, end))
      await delay(250)
    }
    response.end(body.subarray(end))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test('the page tree, metadata and backlinks load without a layout shift', async () => {
  const { page, open, complaints } = await newVisitor(browser, service, { viewport: { width: 1600, height: 900 } })
  const shifts = await measureShifts(page)
  await open('/pages/docs/guide/start')
  const tree = page.getByRole('navigation', { name: 'Pages of this space' })
  await tree.getByRole('link', { name: 'Setting up', exact: true }).waitFor()
  assert.deepEqual(await tree.locator('.row > a:not(.add)').allInnerTexts(), [
    'Drawn',
    'guide',
    'Setting up',
    'Start',
    'Book',
    'other',
  ])
  assert.equal(await tree.locator('[aria-current="page"]').innerText(), 'Start')
  const beside = page.getByRole('complementary', { name: 'About this page' })
  await beside.getByText('draft').waitFor()
  assert.equal(await beside.getByRole('definition').last().innerText(), 'a, b')
  assert.equal(await beside.getByRole('link', { name: 'Setting up' }).getAttribute('href'), '/pages/docs/guide/setup')
  // A tree or a panel that pushed the text aside would count for a hundred times more.
  const moved = await shifts()
  assert.ok(moved < 0.001, `the page moved by ${moved}`)
  assert.deepEqual(complaints, [])
})

test('nothing moves when the second half of a document arrives late, wherever it is divided', async () => {
  const { page } = await newVisitor(browser, service, { viewport: { width: 1600, height: 900 } })
  const shifts = await measureShifts(page)
  const bars = ['"actions" aria-label="Recto">', '<summary class="button plain">', '>Edit</a>', '>Proper']
  for (const divided of [...bars, '<main id="main"', '<h2 id="user-content-b"', '<aside']) {
    await using network = await startSlowNetwork(service.admin.base, '/pages/docs/guide/start', divided)
    const answer = await page.goto(`${network.url}/pages/docs/guide/start`)
    assert.equal(answer?.status(), 200, await answer?.text())
    await page.getByRole('complementary', { name: 'About this page' }).getByText('draft').waitFor()
    const moved = await shifts()
    assert.ok(moved < 0.001, `the page moved by ${moved}, divided at ${divided}`)
  }
})

test('nothing moves when times are shown as local ones', async () => {
  const { page, open } = await newVisitor(browser, service, { viewport: { width: 1600, height: 900 } })
  const shifts = await measureShifts(page)
  for (const path of ['/history/docs/guide/start', '/settings/docs']) {
    await open(path)
    await page.locator('main time[title]').first().waitFor()
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
    const moved = await shifts()
    assert.ok(moved < 0.001, `${path} moved by ${moved}`)
  }
})

test('the history fits into a window of 645 to 1,300 pixels', async () => {
  await service.admin.space('wide')
  for (const body of ['# One\n', '# Two\n', '# Three\n']) await service.admin.write('wide/page', body)
  for (const width of [645, 700, 800, 1100, 1279, 1280]) {
    const { page, open, context } = await newVisitor(browser, service, { viewport: { width, height: 900 } })
    await open('/history/wide/page')
    await page.locator('main time[title]').first().waitFor()
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width)
    await context.close()
  }
})

test('links to missing pages are marked, and open the new page form for editors', async () => {
  const editor = await service.admin.get('/pages/docs/guide/start', { accept: 'text/html' })
  assert.match(editor.text, /class="missing" title="[^"]+" href="\/new\/docs\?path=guide%2Fnot\+there"/)
  const agent = await newPerson(service.admin, 'Reader', { kind: 'agent', scopes: ['read'] })
  const reader = await agent.client.get('/pages/docs/guide/start', { accept: 'text/html' })
  assert.match(reader.text, /class="missing" title="[^"]+" href="\/pages\/docs\/guide\/not%20there"/)
  assert.doesNotMatch(reader.text, /\/edit\/[^"?]*"|\/new\/docs\?/)
  assert.notEqual(editor.headers.get('etag'), reader.headers.get('etag'))
})

test('formulas and diagrams are rendered from the own origin; invalid diagrams stay as source', async () => {
  const { page, open, complaints, context } = await newVisitor(browser, service)
  const asked: string[] = []
  context.on('request', (request) => asked.push(request.url()))
  await open('/pages/docs/drawn')
  await page.locator('.prose .katex').first().waitFor()
  assert.equal(await page.locator('.prose math').count(), 2)
  const drawn = page.getByRole('button', { name: 'Show the diagram large' })
  await drawn.waitFor()
  await page.locator('iframe').waitFor({ state: 'detached' })
  assert.equal(await drawn.count(), 1)
  assert.ok(await drawn.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth > 20))
  assert.equal(await page.locator('.diagram pre').last().isVisible(), true)
  await drawn.press('Enter')
  await page.getByRole('dialog', { name: 'Diagram' }).waitFor()
  await page.keyboard.press('Escape')
  assert.deepEqual(
    asked.filter((url) => !url.startsWith(service.admin.base) && !url.startsWith('blob:')),
    [],
  )
  assert.deepEqual(complaints, [])
})

test('a page without formulas and diagrams loads neither library', async () => {
  const { page, open, context } = await newVisitor(browser, service)
  const scripts: string[] = []
  context.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(new URL(request.url()).pathname.split('.')[0] ?? '')
  })
  await open('/pages/docs/guide/setup')
  await page.getByRole('complementary', { name: 'About this page' }).getByText('No', { exact: false }).first().waitFor()
  assert.deepEqual(
    scripts.filter((name) => /maths|diagram|editor/.test(name)),
    [],
  )
})

test('without script, links lead to the same screens', async () => {
  const { page, open } = await newVisitor(browser, service, { javaScriptEnabled: false })
  await open('/pages/docs/guide/start')
  const beside = page.getByRole('complementary', { name: 'About this page' })
  assert.equal(
    await beside.getByRole('link', { name: 'Properties' }).getAttribute('href'),
    '/metadata/docs/guide/start',
  )
  assert.equal(await beside.getByRole('link', { name: 'Linked from' }).getAttribute('href'), '/graph/docs/guide/start')
})

test('the page tree matches the pages of the space', async () => {
  const { text } = assertStatus(await service.admin.get('/fragments/tree/docs?page=guide/setup/linux'), 200)
  assert.match(text, /On Linux/)
  assert.doesNotMatch(text, /Deep/)
  const deep = assertStatus(await service.admin.get('/fragments/tree/docs?page=other/deep/page'), 200)
  assert.match(deep.text, /aria-current="page">Deep/)
})

test('times are relative and local, with the exact time on hover; without script they are in UTC', async () => {
  const { page, open } = await newVisitor(browser, service, { timezoneId: 'Asia/Kolkata' })
  await page.clock.setFixedTime(Date.now() + 3 * 3600_000 + 60_000)
  await open('/')
  const shown = page.locator('main time').first()
  await shown.getByText('3 hours ago').waitFor()
  assert.match((await shown.getAttribute('title')) ?? '', /GMT\+5:30/)
  await page.clock.setFixedTime(Date.parse('2040-01-01T00:00:00Z'))
  await page.reload()
  await shown.getByText(/^\w{3} \d+, \d{4}, \d+:\d\d [AP]M$/).waitFor()
  const plain = await newVisitor(browser, service, { javaScriptEnabled: false })
  await plain.open('/')
  assert.match(await plain.page.locator('main time').first().innerText(), /UTC$/)
})
