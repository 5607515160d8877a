import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import pg from 'pg'
import type { Browser } from 'playwright-core'
import { axeFindings } from '../support/axe.ts'
import { startBrowser } from '../support/browser.ts'
import { assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { putBytes } from '../support/files.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson } from '../support/people.ts'
import { newVisitor } from '../support/visitor.ts'

const LARGE_PAGES = 12

let nodes: Nodes
let admin: Client
let browser: Browser
before(async () => {
  ;[nodes, browser] = await Promise.all([startNodes(), startBrowser()])
  admin = nodes.admins[0]
})
after(async () => {
  await browser?.close()
  await nodes?.[Symbol.asyncDispose]()
})

/** A transaction in the middle of its work; also ended where the test fails. */
async function transaction(statement: string): Promise<AsyncDisposable & { end(): Promise<void> }> {
  const client = new pg.Client({ ...nodes.connection })
  await client.connect()
  await client.query('begin')
  await client.query(statement)
  const end = () => client.end()
  return { end, [Symbol.asyncDispose]: end }
}

test('an export is a download; its progress and its result are beside the form', async () => {
  await admin.space('exported', { name: 'Handbook' })
  for (const name of ['a', 'b', 'c']) {
    assertStatus(await admin.put(`/pages/exported/${name}`, `# ${name}`), 201)
  }
  assertStatus(await putBytes(admin, '/files/exported/d.txt', Buffer.from('file')), 201)
  const { page, open, context, complaints } = await newVisitor(browser, { admin })
  await open('/settings/exported')
  await page.getByRole('link', { name: 'Export', exact: true }).click()
  assert.deepEqual(await axeFindings(page), [])

  const downloading = page.waitForEvent('download')
  await page.getByLabel('Format').selectOption('json')
  await page.getByRole('button', { name: 'Download' }).click()
  const download = await downloading
  await page.getByText('3 pages and 1 file were exported.').waitFor()
  assert.deepEqual(await axeFindings(page), [])
  assert.equal(download.suggestedFilename(), 'exported.json')
  const bundle = JSON.parse(await readFile(await download.path(), 'utf8'))
  assert.deepEqual(
    bundle.pages.map(({ path }: { path: string }) => path),
    ['a', 'b', 'c'],
  )
  assert.deepEqual(complaints, [])
  await context.close()
})

test('without script an export has a link to its progress; one that is cut is said to be incomplete', async () => {
  await admin.space('cut')
  // More than sockets buffer, and hardly compressible.
  for (let page = 1; page <= LARGE_PAGES; page++) {
    assertStatus(await admin.put(`/pages/cut/${page}`, randomBytes(500_000).toString('hex')), 201)
  }
  const { page, open, context } = await newVisitor(browser, { admin }, { javaScriptEnabled: false })
  await open('/export/cut')
  const job = await page.locator('input[name=job]').getAttribute('value')
  const cookies = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')

  const url = `${admin.base}/export/cut/download?format=zip&history=1&job=${job}`
  const sent = request(url, { headers: { cookie: cookies } })
  sent.once('error', () => {}) // of the cut
  // Nobody reads the response, so that it waits.
  sent.once('response', (response) => response.pause())
  sent.end()
  // The screen refreshes itself.
  const progress = page.getByRole('link', { name: 'its progress' })
  const href = String(await progress.getAttribute('href'))
  assert.equal(href, `/jobs/${job}`)
  await until(async () => (await context.request.get(href)).status() === 200)
  await progress.click()
  await page.getByRole('heading', { name: 'Exporting' }).waitFor()
  await page.getByText(new RegExp(`^\\d+ of ${LARGE_PAGES} pages and files$`)).waitFor()
  sent.destroy()
  await page.getByRole('heading', { name: 'The export failed' }).waitFor()
  assert.match(await page.getByRole('alert').innerText(), /^The download was cancelled.* download it again\.$/)

  const { client } = await newPerson(admin, 'Other')
  const other = await newVisitor(browser, { admin }, { key: client.key })
  assert.equal((await other.context.request.get(href)).status(), 404)
  await other.context.close()
  await context.close()
})

test('an export of a hidden space is like one of a missing space, and bad parameters are 400', async () => {
  await admin.space('hidden', { visibility: 'private' })
  const { client } = await newPerson(admin, 'Reader')
  const id = '0196f3f0-0000-7000-8000-000000000000'
  for (const path of ['', `/download?format=zip&job=${id}`]) {
    const [hidden, missing] = await Promise.all([
      client.get(`/export/hidden${path}`),
      client.get(`/export/missing${path}`),
    ])
    assert.equal(hidden.status, 404)
    const [one, other] = [hidden.text.replaceAll('hidden', 'missing'), missing.text].map((text) => ({
      ...JSON.parse(text),
      requestId: '',
    }))
    assert.deepEqual(one, other)
  }
  assert.equal((await admin.get('/export/hidden/download?format=zip&job=1')).status, 400)
  assert.equal((await admin.get(`/export/hidden/download?format=tar&job=${id}`)).status, 400)
})

test('the settings of a space show how far its search index is after a change of its language', async () => {
  await admin.space('indexed')
  for (const name of ['a', 'b']) assertStatus(await admin.put(`/pages/indexed/${name}`, `# ${name}`), 201)
  // Pages are indexed again once all transactions that run now have ended.
  await using held = await transaction('select 1 from page for update')
  assertStatus(await admin.patch('/spaces/indexed', { language: 'de' }), 200)
  const { page, open, context, complaints } = await newVisitor(browser, { admin })
  await open('/settings/indexed')
  await page.getByText('0 of 2 pages').waitFor()
  assert.deepEqual(await axeFindings(page), [])
  await held.end()
  await page.getByText('All pages are indexed.').waitFor()
  await page.reload()
  assert.equal(await page.getByRole('heading', { name: 'Search index' }).count(), 0)
  assert.deepEqual(complaints, [])
  await context.close()
})
