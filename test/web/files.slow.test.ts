import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { byteSize } from '@recto/lib/text/byte-size.ts'
import type { Browser, Page } from 'playwright-core'
import { axeFindings } from '../support/axe.ts'
import { openSection, startBrowser } from '../support/browser.ts'
import { assertStatus, type Client } from '../support/client.ts'
import { getBytes, png, putBytes } from '../support/files.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

const MAX_BYTES = 300_000

let service: Service
let browser: Browser
let admin: Client
before(async () => {
  ;[service, browser] = await Promise.all([startService({ SVC_MAX_FILE_BYTES: String(MAX_BYTES) }), startBrowser()])
  admin = service.admin
  await admin.space('docs', { name: 'Handbook' })
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

const exists = async (path: string) =>
  (await getBytes(admin, `/files/docs/${path}`, { accept: 'application/json' })).status
const fileNames = (page: Page) => page.getByRole('list', { name: 'Files' }).locator('.name').allInnerTexts()
const chosen = (name: string, buffer: Buffer, mimeType = 'image/png') => ({ name, mimeType, buffer })

test('without script files are uploaded for a page, and the screen shows the Markdown for them', async () => {
  assertStatus(await admin.put('/pages/docs/plain/page', '# Plain'), 201)
  assertStatus(await putBytes(admin, '/files/docs/plain/page-1.png', png(1, 1)), 201)
  const { page, open, context } = await newVisitor(browser, service, { javaScriptEnabled: false })
  await open('/edit/docs/plain/page')
  const opened = context.waitForEvent('page')
  await page.getByRole('link', { name: 'Upload files' }).click()
  const form = await opened
  await form
    .getByLabel('Files')
    .setInputFiles([
      chosen('a.png', png(5, 4)),
      chosen('b.png', png(6, 4)),
      chosen('Plan (v2).pdf', Buffer.from('%PDF-1.7\n'), 'application/pdf'),
    ])
  await form.getByRole('button', { name: 'Upload' }).click()
  assert.equal(
    (await form.locator('pre').innerText()).trim(),
    '![](./page-2.png)\n![](./page-3.png)\n[Plan (v2).pdf](./Plan%20%28v2%29.pdf)',
  )
  assert.deepEqual((await getBytes(admin, '/files/docs/plain/page-3.png')).bytes, png(6, 4))
  await form.getByLabel('Files').setInputFiles([chosen('big.png', Buffer.alloc(MAX_BYTES + 1))])
  await form.getByRole('button', { name: 'Upload' }).click()
  await form
    .getByRole('alert')
    .getByText(`at most ${byteSize(MAX_BYTES)}`)
    .waitFor()
  await form.getByRole('link', { name: 'Cancel' }).click()
  assert.equal(new URL(form.url()).pathname, '/pages/docs/plain/page')
})

test('a form without the token of the session, or from another site, stores nothing', async () => {
  const { context } = await newVisitor(browser, service)
  const send = (multipart: Record<string, string | { name: string; mimeType: string; buffer: Buffer }>) =>
    context.request.post('/upload/docs', { multipart, maxRedirects: 0 })
  const file = chosen('forged.png', png(1, 1))
  const body = await (await send({ file })).text()
  assert.match(body, /csrf_token_invalid|token of the session/)
  assert.equal((await send({ csrf: 'x'.repeat(43), file })).status(), 403)
  const navigation = { headers: { 'sec-fetch-mode': 'navigate' }, multipart: { file } }
  const expired = await (await context.request.post('/upload/docs', navigation)).text()
  assert.match(expired, /<h1>The form has expired<\/h1>/)
  assert.doesNotMatch(expired, /X-CSRF-Token/)
  const headers = { 'content-type': 'multipart/form-data; boundary=a' }
  const malformed = await (await context.request.post('/upload/docs', { headers, data: 'none' })).text()
  assert.equal(malformed.split('Nothing was changed.').length, 2)
  // Behind the file it is too late.
  const csrf = (await context.cookies()).find(({ name }) => name.endsWith('recto_csrf'))?.value ?? ''
  assert.equal((await send({ file, csrf })).status(), 403)
  assert.equal(await exists('forged.png'), 404)
  assert.equal((await send({ csrf, file })).status(), 303)
  assert.equal(await exists('forged.png'), 200)
})

test('the files of a space are searched, renamed, replaced and deleted, and each is undone', async () => {
  await admin.space('media', { name: 'Media' })
  const put = (path: string, bytes: Buffer) => putBytes(admin, `/files/media/${path}`, bytes)
  assertStatus(await put('img/chart.png', png(30, 20)), 201)
  assertStatus(await put('img/שלום.png', png(30, 20, 7)), 201)
  assertStatus(await put('report.pdf', Buffer.from('%PDF-1.7\n')), 201)
  const { page, open, complaints } = await newVisitor(browser, service)
  await open('/browse/media')
  await page.getByRole('link', { name: 'Files', exact: true }).click()
  assert.deepEqual(await fileNames(page), ['chart.png', 'שלום.png', 'report.pdf'])
  const { text } = await admin.get('/file/media/report.pdf', { accept: 'text/html' })
  assert.match(text, /<iframe class="file-preview" src="\/files\/media\/report.pdf" title="report.pdf"/)
  assert.deepEqual(await axeFindings(page), [])
  await page.getByLabel('Text in the path').fill('CHART')
  await page.getByLabel('Text in the path').press('Enter')
  await page.waitForURL('**q=CHART**')
  assert.deepEqual(await fileNames(page), ['chart.png'])
  const about = page.getByRole('list', { name: 'Files' }).locator('.what .quiet')
  assert.match(await about.innerText(), /^img\/\nimage\/png, 30 × 20, /)
  await page.getByRole('link', { name: 'chart.png' }).click()
  assert.deepEqual(await axeFindings(page), [])
  assert.equal(await page.locator('dd code').innerText(), '![](/files/media/img/chart.png)')
  await openSection(page, 'Rename or move')
  await page.getByLabel('Path').fill('img/graph.png')
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('heading', { name: 'graph.png' }).waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('heading', { name: 'chart.png' }).waitFor()
  await openSection(page, 'Replace')
  await page.getByLabel('New version').setInputFiles([chosen('other.png', png(3, 3))])
  await page.getByRole('button', { name: 'Replace' }).click()
  await page.getByRole('status').getByText('has version').waitFor()
  await page.getByText('3 × 3').first().waitFor()
  assert.deepEqual((await getBytes(admin, '/files/media/img/chart.png')).bytes, png(3, 3))
  await openSection(page, 'Delete')
  await page.getByRole('button', { name: 'Move to trash' }).click()
  await page.getByRole('status').getByText('is in the trash.').waitFor()
  assert.deepEqual(await fileNames(page), ['שלום.png', 'report.pdf'])
  await page.getByRole('link', { name: 'Deleted files' }).click()
  assert.deepEqual(await axeFindings(page), [])
  await page.getByRole('button', { name: 'Restore img/chart.png' }).click()
  await page.getByRole('heading', { name: 'chart.png' }).waitFor()
  await open('/browse-files/media')
  await page.getByRole('button', { name: 'Delete report.pdf' }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('link', { name: 'report.pdf' }).waitFor()
  assert.deepEqual(complaints, [])
})

test('a file that changed since the screen was opened is neither replaced, renamed nor deleted', async () => {
  assertStatus(await putBytes(admin, '/files/docs/raced.png', png(1, 1)), 201)
  const { page, open } = await newVisitor(browser, service)
  for (const [act, section, prepare] of [
    ['Rename', 'Rename or move', () => page.getByLabel('Path').fill('elsewhere.png')],
    ['Replace', 'Replace', () => page.getByLabel('New version').setInputFiles([chosen('x.png', png(9, 9))])],
    ['Move to trash', 'Delete', async () => {}],
  ] as const) {
    await open('/file/docs/raced.png')
    assertStatus(await putBytes(admin, '/files/docs/raced.png', png(2, 2), { 'if-match': '*' }), 200)
    await openSection(page, section)
    await prepare()
    await page.getByRole('button', { name: act, exact: true }).click()
    await page.getByRole('alert').getByText('has changed since').waitFor()
  }
  assert.deepEqual((await getBytes(admin, '/files/docs/raced.png')).bytes, png(2, 2))
})

test('readers see the files without actions; people without access see nothing', async () => {
  await admin.space('closed', { name: 'Closed', visibility: 'private' })
  assertStatus(await putBytes(admin, '/files/closed/a.png', png(1, 1)), 201)
  const reader = await newPerson(admin, 'Reader')
  await admin.call('PUT', `/spaces/closed/members/${reader.id}`, { json: { role: 'viewer' } })
  const { page, open, context } = await newVisitor(browser, service, { key: reader.client.key })
  for (const path of ['/browse-files/closed', '/file/closed/a.png', '/trash/closed/files']) {
    await open(path)
    assert.equal(
      await page.locator('main form[method="post"]:not([action^="/comments/"]), main a[href^="/upload"]').count(),
      0,
      path,
    )
  }
  assert.equal((await context.request.get('/upload/closed')).status(), 403)
  const stranger = await newVisitor(browser, service, { key: (await newPerson(admin, 'X')).client.key })
  for (const path of ['/browse-files/closed', '/file/closed/a.png', '/trash/closed/files', '/upload/closed']) {
    const [hidden, absent] = await Promise.all(
      [path, path.replace('closed', 'closet')].map((each) => stranger.context.request.get(each)),
    )
    assert.deepEqual([hidden?.status(), absent?.status()], [404, 404], path)
  }
})

test('the list of files shows those that no page uses, and stays so after one is deleted', async () => {
  await admin.space('spare', { name: 'Spare' })
  for (const path of ['used.png', 'old.png', 'older.png']) {
    assertStatus(await putBytes(admin, `/files/spare/${path}`, png(2, 2)), 201)
  }
  assertStatus(await admin.put('/pages/spare/page', '![x](./used.png)'), 201)
  const { page, open } = await newVisitor(browser, service)
  await open('/browse-files/spare')
  await page.getByLabel('Not used by a page').check()
  await page.getByRole('button', { name: 'Show' }).click()
  assert.deepEqual(await fileNames(page), ['old.png', 'older.png'])
  await page.getByRole('button', { name: 'Delete old.png' }).click()
  await page.getByRole('status').getByText('is in the trash.').waitFor()
  assert.deepEqual(await fileNames(page), ['older.png'])
  assert.equal(await page.getByLabel('Not used by a page').isChecked(), true)
  await page.getByRole('link', { name: 'All files' }).click()
  assert.deepEqual(await fileNames(page), ['older.png', 'used.png'])
})

test('a long list of files is read page by page', async () => {
  await admin.space('many', { name: 'Many' })
  for (let index = 0; index < 60; index++) {
    const path = `/files/many/f${String(index).padStart(2, '0')}.txt`
    assertStatus(await putBytes(admin, path, Buffer.from(`${index}`)), 201)
  }
  const { page, open } = await newVisitor(browser, service)
  await open('/browse-files/many')
  assert.equal((await fileNames(page)).length, 50)
  await page.getByRole('link', { name: 'More' }).click()
  await page.waitForURL('**cursor=**')
  assert.deepEqual((await fileNames(page)).at(-1), 'f59.txt')
  // After a deletion the list stays where it was.
  await page.getByRole('button', { name: 'Delete f55.txt' }).click()
  await page.getByRole('status').getByText('is in the trash.').waitFor()
  assert.deepEqual((await fileNames(page)).length, 9)
})
