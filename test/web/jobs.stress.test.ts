import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { writeZip } from '@recto/lib/zip/zip-writer.ts'
import pg from 'pg'
import type { Browser } from 'playwright-core'
import { axeFindings } from '../support/axe.ts'
import { startBrowser } from '../support/browser.ts'
import { assertStatus, type Client } from '../support/client.ts'
import { type Nodes, startNodes } from '../support/nodes.ts'
import { newPerson } from '../support/people.ts'
import { newVisitor } from '../support/visitor.ts'

/** So that work becomes a job however fast it is. */
const ASYNC = { extraHTTPHeaders: { prefer: 'respond-async' } }

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

const visit = (options = {}) => newVisitor(browser, { admin }, { ...ASYNC, ...options })

async function space(slug: string, pages: number): Promise<void> {
  await admin.space(slug, { name: 'Handbook' })
  for (let number = 1; number <= pages; number++) {
    assertStatus(await admin.put(`/pages/${slug}/old/${number}`, `# ${number}\n\n[next](./${number + 1}.md)`), 201)
  }
}

async function zipOf(files: Readonly<Record<string, string>>): Promise<Buffer> {
  async function* all() {
    for (const [name, text] of Object.entries(files)) {
      yield { name, modified: new Date(0), content: Buffer.from(text) }
    }
  }
  const chunks: Buffer[] = []
  for await (const chunk of writeZip(all())) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/**
 * Holds the pages, so that who would move them waits in the middle of a transaction; also released where the test
 * fails.
 */
async function holdPages(): Promise<AsyncDisposable & { release(): Promise<void> }> {
  const client = new pg.Client({ ...nodes.connection })
  await client.connect()
  await client.query('begin')
  await client.query('select 1 from page for update')
  const release = () => client.end()
  return { release, [Symbol.asyncDispose]: release }
}

test('a move that takes long shows its progress, survives a reload, and ends with a report', async () => {
  await space('moving', 3)
  await using held = await holdPages()
  const { page, open, context, complaints } = await visit()
  await open('/move-folder/moving/old')
  await page.getByLabel('New path').fill('new')
  await page.getByRole('button', { name: 'Move' }).click()
  await page.getByRole('heading', { name: 'Moving old' }).waitFor()
  await page.getByText('3 pages checked').waitFor()
  assert.deepEqual(await axeFindings(page), [])
  await page.reload()
  await page.getByText('3 pages checked').waitFor()
  await held.release()
  await page.getByRole('heading', { name: 'Moved' }).waitFor()
  await page.getByText(/^3 pages and no files moved from moving\/old to moving\/new/).waitFor()
  assert.deepEqual(await axeFindings(page), [])
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  await page.getByRole('link', { name: 'Show the pages' }).click()
  assert.equal((await admin.get('/pages/moving/new/2')).status, 200)
  assert.deepEqual(complaints, [])
  await context.close()
})

test('without script a move is followed by refreshing; a failed one says why', async () => {
  await space('plain', 2)
  await using held = await holdPages()
  const { page, open, context } = await visit({ javaScriptEnabled: false })
  await open('/move-folder/plain/old')
  await page.getByLabel('New path').fill('new')
  await page.getByRole('button', { name: 'Move' }).click()
  await page.getByRole('heading', { name: 'Moving old' }).waitFor()
  await held.release()
  // The screen refreshes itself.
  await page.getByRole('heading', { name: 'Moved' }).waitFor()

  assertStatus(await admin.put('/pages/plain/taken/1', 'taken'), 201)
  await open('/move-folder/plain/new')
  await page.getByLabel('New path').fill('taken')
  await page.getByRole('button', { name: 'Move' }).click()
  await page.getByRole('heading', { name: 'The move failed' }).waitFor()
  assert.match(await page.getByRole('alert').innerText(), /already a page at `?taken\/1`?.* Nothing was changed\./)
  await context.close()
})

test('an import that takes long is previewed beside its form, and has an address while it runs', async () => {
  await admin.space('imported', { name: 'Handbook' })
  const { page, open, context, complaints } = await visit()
  await open('/import/imported')
  const archive = await zipOf({ 'a.md': '# A', 'b/c.md': '# C', 'b/d.txt': 'file' })
  await page.getByLabel('Archive').setInputFiles([{ name: 'x.zip', mimeType: 'application/zip', buffer: archive }])
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByRole('heading', { name: 'Preview: nothing was written' }).waitFor()
  assert.equal(new URL(page.url()).pathname, '/import/imported')
  assert.equal((await admin.get('/pages/imported/a')).status, 404)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.waitForURL('**/jobs/*')
  await page.getByRole('heading', { name: 'Imported' }).waitFor()
  await page.reload()
  assert.equal(await page.getByRole('row', { name: /^2 pages/ }).innerText(), '2 pages\t2\t0\t0\t0')
  assert.equal((await admin.get('/pages/imported/b/c.md')).text, '# C')

  // Nobody else sees it.
  const { client } = await newPerson(admin, 'Other')
  const path = new URL(page.url()).pathname
  const other = await visit({ key: client.key })
  assert.equal((await other.context.request.get(path)).status(), 404)
  assert.equal((await other.context.request.get('/jobs/none')).status(), 404)
  await other.context.close()

  await open('/import/imported')
  await page
    .getByLabel('Archive')
    .setInputFiles([{ name: 'x.zip', mimeType: 'application/zip', buffer: Buffer.from('PK no archive') }])
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.locator('#import-result [role=alert]', { hasText: 'Nothing was written.' }).waitFor()
  assert.deepEqual(complaints, [])
  await context.close()
})
