import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContext } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertStatus, redirectOf } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { signedIn } from '../support/signed-in.ts'

let service: Service
let browser: Browser
let ann: BrowserContext
before(async () => {
  service = await startService()
  browser = await startBrowser()
  const { admin } = service
  await admin.space('docs', { name: 'Docs', defaultRole: 'editor' })
  const bodies = [
    '# Plan\n\nWe meet on Monday.\n\n- one\n- two\n',
    '# Plan\n\nWe meet on Friday.\n\n- one\n- two\n',
    '# Plan\n\nWe meet on Friday.\n\n- one\n- two\n\nSee <b onclick="alert(1)">all</b>.\n',
  ]
  for (const [index, body] of bodies.entries()) {
    const headers = index === 0 ? {} : { 'if-match': `"${index}"` }
    const note = `note <script>alert(${index})</script>`
    const answer = await admin.call('PUT', '/pages/docs/a/plan', { json: { body, note }, headers })
    assertStatus(answer, index === 0 ? 201 : 200)
  }
  ann = await signedIn(browser, admin.base, (await newPerson(admin, 'Ann')).key)
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

const address = '/history/docs/a/plan'

test('two versions can be compared, and the old one restored', async () => {
  const page = await ann.newPage()
  await page.goto(`${service.admin.base}/pages/docs/a/plan`)
  await page.getByRole('link', { name: 'History' }).first().click()
  assert.equal(await page.getByRole('row').count(), 4)
  await page.getByLabel('Compare from version 1').check()
  await page.getByRole('button', { name: 'Compare' }).click()
  const { searchParams } = new URL(page.url())
  assert.deepEqual([searchParams.get('from'), searchParams.get('to')], ['1', '3'])
  assert.deepEqual(await page.locator('.source-diff del').allInnerTexts(), ['Monday'])
  assert.deepEqual(await page.locator('.source-diff ins').allInnerTexts(), ['Friday'])
  // Not by colour alone.
  const signs = await page
    .locator('.source-diff .changed .num:not(.none)')
    .evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell, '::after').content))
  assert.deepEqual(
    signs.map((sign) => sign.slice(0, 3)),
    ['"−"', '"+"', '"+"', '"+"'],
  )
  await page.getByRole('link', { name: 'Rendered' }).click()
  assert.match(await page.locator('.block.removed').first().innerText(), /We meet on Monday/)
  assert.match(await page.locator('.block.added').last().innerText(), /See all/)
  await page.getByRole('link', { name: 'Restore this version' }).click()
  await page.getByRole('button', { name: 'Restore version 1' }).click()
  assert.equal(new URL(page.url()).pathname, '/pages/docs/a/plan')
  assert.match(await page.locator('article').innerText(), /We meet on Monday/)
  const versions = (await service.admin.get('/pages/docs/a/plan/versions')).json.items
  assert.deepEqual([versions[0].version, versions[0].restoredFrom, versions[0].createdBy.name], [4, 1, 'Ann'])
  await page.close()
})

test('restoring a version over a newer edit shows the conflict and can be repeated', async () => {
  const page = await ann.newPage()
  await page.goto(`${service.admin.base}${address}?promote=2`)
  assertStatus(await service.admin.put('/pages/docs/a/plan', '# Other', { 'if-match': '*' }), 200)
  const [answer] = await Promise.all([
    page.waitForResponse((response) => response.request().method() === 'POST'),
    page.getByRole('button', { name: 'Restore version 2' }).click(),
  ])
  assert.equal(answer.status(), 412)
  assert.match(await page.getByRole('alert').innerText(), /you saw version \d+, the current version is \d+\./)
  assert.match((await service.admin.get('/pages/docs/a/plan.md')).text, /# Other/)
  await page.getByRole('button', { name: 'Restore version 2' }).click()
  assert.match(await page.locator('article').innerText(), /We meet on Friday/)
  await page.close()
})

test('notes, titles and bodies of versions are escaped', async () => {
  const page = await ann.newPage()
  const alerts: string[] = []
  page.on('dialog', (dialog) => alerts.push(dialog.message()))
  for (const query of ['', '?from=1&to=3', '?from=1&to=3&as=rendered', '?promote=1']) {
    await page.goto(`${service.admin.base}${address}${query}`)
    const { text } = await service.admin.get(`${address}${query}`, { accept: 'text/html' })
    assert.doesNotMatch(text, /<script>|<[^>]* on\w+=/)
  }
  assert.deepEqual(alerts, [])
  await page.close()
})

test('the history is paged', async () => {
  for (let n = 0; n < 51; n++) await service.admin.put('/pages/docs/busy', `${n}`, n === 0 ? {} : { 'if-match': '*' })
  const page = await ann.newPage()
  await page.goto(`${service.admin.base}/history/docs/busy`)
  await page.getByRole('link', { name: 'Older versions' }).click()
  assert.equal(await page.getByRole('row').count(), 2)
  await page.getByRole('link', { name: 'Newest' }).click()
  assert.equal(await page.getByRole('row').count(), 51)
  await page.close()
})

test('a viewer sees the history and cannot restore versions', async () => {
  const reader = await newPerson(service.admin, 'Reader', { scopes: ['read'] })
  const { text } = assertStatus(await reader.client.get(address, { accept: 'text/html' }), 200)
  assert.doesNotMatch(text, /Restore this version/)
  const answer = await reader.client.post(address, { version: '1', latest: '1' })
  assert.equal(answer.status, 403)
})

test('missing versions are 404, and equal bodies are reported', async () => {
  const get = (query: string) => service.admin.get(`${address}?${query}`, { accept: 'text/html' })
  assertStatus(await get('from=1&to=99'), 404)
  assertStatus(await get('from=0&to=1'), 400)
  assertStatus(await get('promote=99'), 404)
  assert.match((await get('from=2&to=2')).text, /is the same/)
  assert.match((await get('from=2&to=2&as=rendered')).text, /look the same/)
})

test('the screens of a moved page redirect to its new path', async () => {
  const { admin } = service
  assertStatus(await admin.put('/pages/docs/x/old', 'x'), 201)
  const to = { to: { path: 'y/new' } }
  assertStatus(await admin.post('/pages/docs/x/old/move', to, { 'if-match': '"1"' }), 200)
  const answer = await admin.get('/history/docs/x/old?from=1&to=1')
  assert.equal(redirectOf(answer), '/history/docs/y/new?from=1&to=1')
})
