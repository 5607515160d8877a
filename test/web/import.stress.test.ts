import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { writeZip, type ZipFile } from '@recto/lib/zip/zip-writer.ts'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { axeFindings } from '../support/axe.ts'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { getBytes, png } from '../support/files.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { tabTo } from '../support/tab-to.ts'
import { newVisitor } from '../support/visitor.ts'

const ID = '0123456789abcdef0123456789abcdef'

let service: Service
let browser: Browser
before(async () => {
  ;[service, browser] = await Promise.all([startService({ SVC_MAX_IMPORT_BYTES: '1000000' }), startBrowser()])
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

const markdownOf = async (path: string) => (await service.admin.get(`/pages/${path}.md`)).text

async function zipped(files: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  async function* all(): AsyncGenerator<ZipFile> {
    for (const [name, content] of Object.entries(files)) {
      yield { name, modified: new Date(0), content: Buffer.from(content) }
    }
  }
  const chunks: Buffer[] = []
  for await (const chunk of writeZip(all())) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const primary = (page: Page) => page.locator('form.import .primary').innerText()

async function visit(space: string, options: BrowserContextOptions = {}) {
  await service.admin.space(space, { name: 'Handbook' })
  const visitor = await newVisitor(browser, service, options)
  await visitor.open(`/settings/${space}`)
  await visitor.page.getByRole('link', { name: 'Import' }).click()
  await visitor.page.getByRole('heading', { name: 'Import', level: 1 }).waitFor()
  return visitor
}

test('an archive of Notion is previewed, then imported: without ids, with its links and images', async () => {
  const { page, complaints, context } = await visit('notion')
  assertStatus(await service.admin.put('/pages/notion/Team/Plan', 'kept'), 201)
  const archive = await zipped({
    [`Team ${ID}.md`]: `# Team\n\n[Plan](Team%20${ID}/Plan.md) ![Photo](Team%20${ID}/a.png)\n`,
    [`Team ${ID}/Plan.md`]: 'other',
    [`Team ${ID}/a.png`]: png(8, 6),
    '.hidden/x.md': 'hidden',
  })
  await page.getByLabel('Archive').setInputFiles([{ name: 'notion.zip', mimeType: 'application/zip', buffer: archive }])
  assert.equal(await primary(page), 'Preview')
  await tabTo(page.getByRole('button', { name: 'Preview' }))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Preview: nothing was written' }).waitFor()
  assert.equal(await primary(page), 'Import')
  assert.equal(await page.getByRole('row', { name: /^2 pages/ }).innerText(), '2 pages\t1\t0\t0\t1')
  assert.equal(await page.getByRole('row', { name: /^1 file/ }).innerText(), '1 file\t1\t0\t0\t0')
  await page.getByText('Exist already in the space: 1').click()
  await page.getByText('Team/Plan', { exact: true }).first().waitFor()
  await page.getByText(/^Not imported, .*: 1$/).waitFor()
  assert.deepEqual(await axeFindings(page), [])
  assert.equal((await service.admin.get('/pages/notion/Team.md')).status, 404)

  await tabTo(page.getByRole('button', { name: 'Import', exact: true }))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Imported' }).waitFor()
  assert.equal(await markdownOf('notion/Team'), '# Team\n\n[Plan](./Team/Plan.md) ![Photo](./Team/a.png)\n')
  assert.equal(await markdownOf('notion/Team/Plan'), 'kept')
  assert.deepEqual((await getBytes(service.admin, '/files/notion/Team/a.png')).bytes, png(8, 6))
  assert.deepEqual(complaints, [])
  await context.close()
})

test('a folder is chosen: it is previewed at once, and its wikilinks become links', async () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'vault-')), 'Vault')
  mkdirSync(join(folder, 'notes'), { recursive: true })
  writeFileSync(join(folder, 'Home.md'), 'See [[deep]]')
  writeFileSync(join(folder, 'notes', 'deep.md'), '# Deep\n')
  try {
    const { page, complaints, context } = await visit('vault')
    const choosing = page.waitForEvent('filechooser')
    await tabTo(page.getByRole('button', { name: 'Choose a folder' }))
    await page.keyboard.press('Enter')
    await (await choosing).setFiles(folder)
    await page.getByRole('row', { name: /^2 pages/ }).waitFor()
    await tabTo(page.getByRole('button', { name: 'Import', exact: true }))
    await page.keyboard.press('Enter')
    await tabTo(page.getByRole('link', { name: 'Show the pages' }))
    assert.equal(await markdownOf('vault/Home'), 'See [deep](./notes/deep.md)')
    assert.equal(await markdownOf('vault/notes/deep'), '# Deep\n')
    await page.locator('.page-tree').getByRole('link', { name: 'Home', exact: true }).waitFor()
    assert.deepEqual(complaints, [])
    await context.close()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('without script an archive is previewed and imported by the form, and errors keep the choice', async () => {
  const { page, context } = await visit('plain', { javaScriptEnabled: false })
  assertStatus(await service.admin.put('/pages/plain/a', 'old'), 201)
  const choose = async (buffer: Buffer) => {
    await page.getByLabel('Archive').setInputFiles([{ name: 'x.zip', mimeType: 'application/zip', buffer }])
  }
  await page.getByLabel('Pages and files that exist already').selectOption('overwrite')
  await choose(Buffer.from('PK no archive'))
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.locator('#import-result .notice').waitFor()
  assert.equal(await page.getByLabel('Pages and files that exist already').inputValue(), 'overwrite')
  await choose(await zipped({ 'a.md': 'new', 'b.md': 'b' }))
  await page.getByRole('button', { name: 'Preview' }).click()
  assert.equal(await page.getByRole('row', { name: /^2 pages/ }).innerText(), '2 pages\t1\t1\t0\t0')
  assert.equal(await markdownOf('plain/a'), 'old')
  await choose(await zipped({ 'a.md': 'new', 'b.md': 'b' }))
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('heading', { name: 'Imported' }).waitFor()
  assert.deepEqual([await markdownOf('plain/a'), await markdownOf('plain/b')], ['new', 'b'])
  await context.close()
})

test('what is too large, forged, no form, outside of the space or for viewers is rejected, and changes nothing', async () => {
  await service.admin.space('guarded', { name: 'Guarded' })
  const { context, open, page } = await newVisitor(browser, service)
  await open('/import/guarded')
  const csrf = await page.locator('form.import input[name="csrf"]').inputValue()
  const send = (fields: Readonly<Record<string, string>>, buffer: Buffer, request = context.request) =>
    request.post('/import/guarded', {
      maxRedirects: 0,
      multipart: { ...fields, file: { name: 'x.zip', mimeType: 'application/zip', buffer } },
    })
  const archive = await zipped({ 'a.md': 'a' })
  const chosen = { csrf, onConflict: 'skip', action: 'import' }
  assert.equal((await send({ ...chosen, csrf: 'forged' }, archive)).status(), 403)
  assert.equal((await send({ csrf, onConflict: 'skip' }, archive)).status(), 400)
  assert.equal((await send(chosen, Buffer.alloc(1_000_001))).status(), 413)
  // Unpacked.
  assert.equal((await send(chosen, await zipped({ 'a.md': 'a'.repeat(1_000_001) }))).status(), 400)
  const outside = await send(chosen, await zipped({ '../a.md': 'a' }))
  assert.equal(outside.status(), 400)
  const noForm = await context.request.post('/import/guarded', { headers: { 'X-CSRF-Token': csrf }, data: {} })
  assert.equal(noForm.status(), 415)
  const reader = await newPerson(service.admin, 'Reader')
  const visitor = await newVisitor(browser, service, { key: reader.client.key })
  assert.equal((await visitor.context.request.get('/import/guarded')).status(), 403)
  assert.equal((await send(chosen, archive, visitor.context.request)).status(), 403)
  assert.equal((await service.admin.get('/pages/guarded/a')).status, 404)
  await visitor.context.close()
  await context.close()
})
