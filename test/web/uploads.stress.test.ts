import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { getBytes, png, putBytes } from '../support/files.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

const MAX_BYTES = 200_000

let service: Service
let browser: Browser
before(async () => {
  ;[service, browser] = await Promise.all([startService({ SVC_MAX_FILE_BYTES: String(MAX_BYTES) }), startBrowser()])
  await service.admin.space('docs', { name: 'Handbook' })
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

const markdownOf = async (path: string) => (await service.admin.get(`/pages/docs/${path}.md`)).text
const text = (page: Page) => page.getByRole('textbox', { name: 'Markdown of the page' })
const state = (page: Page) => page.locator('.save-bar .state')
const chooser = (page: Page) => page.locator('input[type="file"][multiple]')
const uploads = (page: Page) => page.getByRole('list', { name: 'Uploads' })

interface Chosen {
  readonly name: string
  readonly type: string
  readonly bytes: Buffer
}

/** Pastes or drops files on an element, as a browser does: playwright has no way to do either with files. */
async function give(
  page: Page,
  selector: string,
  kind: 'paste' | 'drop',
  files: readonly Chosen[],
  text?: string,
): Promise<void> {
  const sent = files.map(({ name, type, bytes }) => ({ name, type, base64: bytes.toString('base64') }))
  await page.locator(selector).evaluate(
    (element, { kind, sent, text }) => {
      const data = new DataTransfer()
      if (text !== undefined) data.setData('text/plain', text)
      for (const { name, type, base64 } of sent) {
        const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
        data.items.add(new File([bytes], name, { type }))
      }
      const { left, top } = element.getBoundingClientRect()
      const common = { bubbles: true, cancelable: true }
      element.dispatchEvent(
        kind === 'paste'
          ? new ClipboardEvent('paste', { ...common, clipboardData: data })
          : new DragEvent('drop', { ...common, dataTransfer: data, clientX: left + 20, clientY: top + 20 }),
      )
    },
    { kind, sent, text },
  )
}

const image = (seed: number, name = 'image.png'): Chosen => ({ name, type: 'image/png', bytes: png(4, 3, seed) })

test('a pasted picture is uploaded beside the page, inserted at the caret, and described', async () => {
  await service.admin.put('/pages/docs/guide/setup', '# Setup\n\nBefore and after.\n')
  assertStatus(await putBytes(service.admin, '/files/docs/guide/setup-1.png', png(2, 2)), 201)
  const { page, open, complaints } = await newVisitor(browser, service, { source: true })
  await open('/edit/docs/guide/setup')
  await text(page).getByText('Before and after.').click()
  await page.keyboard.press('Home')
  await give(page, '.cm-content', 'paste', [image(9)])
  const alt = page.getByLabel('Describe the image')
  await alt.fill('A [red] square')
  await page.keyboard.press('Enter')
  await uploads(page).waitFor({ state: 'hidden' })
  assert.equal(await text(page).evaluate((element) => element === document.activeElement), true)
  // The preview shows it, with its size.
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.locator('.preview img[src="/files/docs/guide/setup-2.png"][width="4"]').waitFor()
  await page.keyboard.press('ControlOrMeta+s')
  await state(page).getByText('Saved as version 2.').waitFor()
  assert.equal(await markdownOf('guide/setup'), '# Setup\n\n![A \\[red\\] square](./setup-2.png)Before and after.\n')
  const { bytes } = await getBytes(service.admin, '/files/docs/guide/setup-2.png')
  assert.deepEqual(bytes, png(4, 3, 9))
  assert.deepEqual(complaints, [])
})

test('several dropped files are inserted in their order', async () => {
  await service.admin.put('/pages/docs/many', 'Text\n')
  const { page, open } = await newVisitor(browser, service, { source: true })
  await open('/edit/docs/many')
  const report = { name: 'Q1 (final).pdf', type: 'application/pdf', bytes: Buffer.from('%PDF-1.7\n') }
  await give(page, '.cm-content', 'drop', [image(1), report, image(2)])
  await page.getByLabel('Describe the image').nth(1).waitFor()
  // Beside the text they come to the caret.
  await give(page, '.save-bar', 'drop', [{ ...report, bytes: Buffer.from('%PDF-1.4\n') }])
  await text(page).getByText('Q1%20%28final%29-2.pdf').waitFor()
  await page.keyboard.press('ControlOrMeta+s')
  await state(page).getByText('Saved as version 2.').waitFor()
  const lines = (await markdownOf('many')).split('\n')
  const dropped = ['![](./many-1.png)', '[Q1 (final).pdf](./Q1%20%28final%29.pdf)', '![](./many-2.png)']
  const at = lines.findIndex((line) => line.includes('many-1'))
  assert.deepEqual(
    lines.slice(at, at + 3).map((line, index) => line.includes(dropped[index] ?? '?')),
    [true, true, true],
    lines.join('\n'),
  )
})

test('a picture at the start of a page comes after its front matter, and a heading stays a heading', async () => {
  await service.admin.put('/pages/docs/start', '---\ntags: [a]\n---\n\n# Start\n')
  await service.admin.put('/pages/docs/top', '# Top\n')
  const { page, open } = await newVisitor(browser, service, { source: true })
  for (const [path, files, expected] of [
    ['start', [image(1)], '---\ntags: [a]\n---\n![](./start-1.png)\n# Start\n'],
    ['top', [image(2), image(3)], '![](./top-1.png)\n\n![](./top-2.png)\n\n# Top\n'],
  ] as const) {
    await open(`/edit/docs/${path}`)
    await give(page, '.cm-content', 'paste', files)
    await page
      .getByLabel('Describe the image')
      .nth(files.length - 1)
      .waitFor()
    await page.keyboard.press('ControlOrMeta+s')
    await state(page).getByText('Saved as version 2.').waitFor()
    assert.equal(await markdownOf(path), expected)
  }
})

test('a file that is too large is an error with the limit, before anything is sent', async () => {
  await service.admin.put('/pages/docs/large', 'Text\n')
  const { page, open } = await newVisitor(browser, service, { source: true })
  await open('/edit/docs/large')
  const big = { name: 'big.bin', type: '', bytes: Buffer.alloc(MAX_BYTES + 1) }
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'PUT' && sent.push(request.url()))
  await give(page, '.cm-content', 'paste', [big])
  await uploads(page).getByRole('alert').getByText('a file may have at most 195 KB').waitFor()
  await page.getByRole('button', { name: 'Dismiss: big.bin' }).click()
  await uploads(page).waitFor({ state: 'hidden' })
  assert.deepEqual(sent, [])
})

test('an upload shows its progress, is cancelled, fails and is retried', async () => {
  await service.admin.put('/pages/docs/slow', 'Text\n')
  const { page, open } = await newVisitor(browser, service, { source: true })
  await open('/edit/docs/slow')
  let fails = false
  let release = () => {}
  await page.route('**/files/docs/**', async (route) => {
    if (fails) return route.abort('connectionreset')
    await new Promise<void>((resolve) => {
      release = resolve
    })
    await route.continue().catch(() => {}) // it was cancelled
  })
  await chooser(page).setInputFiles([
    { name: 'a.png', mimeType: 'image/png', buffer: png(2, 2, 5) },
    { name: 'b.txt', mimeType: 'text/plain', buffer: Buffer.from('b') },
  ])
  await page.getByRole('progressbar', { name: 'Upload of a.png' }).waitFor()
  // Leaving now would lose it.
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await state(page).getByText('Files are being uploaded.').waitFor()
  await page.getByRole('button', { name: 'Cancel: b.txt' }).click()
  fails = true
  // Until then the browser would still send what the route holds back.
  const cancelled = page.waitForEvent('requestfailed')
  await page.getByRole('button', { name: 'Cancel: a.png' }).click()
  await cancelled
  release()
  await uploads(page).waitFor({ state: 'hidden' })
  await chooser(page).setInputFiles([{ name: 'c.txt', mimeType: 'text/plain', buffer: Buffer.from('c') }])
  await uploads(page).getByRole('alert').getByText('The connection was lost').waitFor()
  await page.unroute('**/files/docs/**')
  await page.getByRole('button', { name: 'Retry: c.txt' }).click()
  await text(page).getByText('[c.txt](./c.txt)').waitFor()
  const { items } = (await service.admin.get('/spaces/docs/files?q=c.txt')).json
  assert.equal(items.length, 1)
  assert.equal((await service.admin.get('/spaces/docs/files?prefix=slow')).json.items.length, 0)
})

test('files of a page that does not exist yet are uploaded to its final path', async () => {
  const { page, open, complaints } = await newVisitor(browser, service, { source: true })
  await open('/new/docs?parent=notes')
  await give(page, '.cm-content', 'paste', [image(3)])
  await uploads(page).getByRole('alert').getByText('Enter a title first').waitFor()
  await page.getByLabel('Title').fill('My day')
  await page.getByRole('button', { name: 'Retry: image.png' }).click()
  await page.getByLabel('Describe the image').fill('Sun')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.locator('.preview img[src="/files/docs/notes/my-day-1.png"]').waitFor()
  // In another folder the relative target would not be found.
  await page.locator('.path > summary').click()
  await page.getByLabel('Path').fill('diary/today')
  await page.getByRole('button', { name: 'Create page' }).click()
  await page.waitForURL('**/pages/docs/diary/today')
  assert.equal(await markdownOf('diary/today'), '# My day\n\n![Sun](/files/docs/notes/my-day-1.png)')
  await page.locator('article img[width="4"]').waitFor()
  assert.deepEqual(complaints, [])
})

test('on a phone a button takes a picture; text beside a picture is pasted as text', async () => {
  await service.admin.put('/pages/docs/phone', 'Text\n')
  const editor = await newPerson(service.admin, 'Phone')
  await service.admin.call('PUT', `/spaces/docs/members/${editor.id}`, { json: { role: 'editor' } })
  const { page, open } = await newVisitor(browser, service, {
    source: true,
    key: editor.client.key,
    hasTouch: true,
    isMobile: true,
    viewport: { width: 360, height: 740 },
  })
  await open('/edit/docs/phone')
  const input = page.locator('input[type="file"][capture="environment"]')
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Take a picture' }).click()
  await (await choosing).setFiles([{ name: 'IMG_1.JPG', mimeType: 'image/jpeg', buffer: png(2, 2, 8) }])
  await text(page).getByText('![](./phone-1.jpg)').waitFor()
  assert.equal(await input.getAttribute('accept'), 'image/*')
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360)
  await give(page, '.cm-content', 'paste', [image(1)], 'cells of a spreadsheet')
  await text(page).getByText('cells of a spreadsheet').waitFor()
  assert.equal((await service.admin.get('/spaces/docs/files?prefix=phone')).json.items.length, 1)
})
