import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

let service: Service
let browser: Browser
let other: string | undefined
before(async () => {
  ;[service, browser] = await Promise.all([startService(), startBrowser()])
  const { admin } = service
  for (let n = 1; n <= 9; n++) await admin.space(`team-${n}`, { name: `Team ${n}` })
  const ann = await newPerson(admin, 'Ann Meyer')
  other = ann.key
  assertStatus(await admin.put('/pages/team-9/plan', '# The plan'), 201)
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

const cards = (page: Page) => page.locator('.cards .card:visible h2').allInnerTexts()

test('of many spaces the start screen shows those with the latest changes, and links to all, without script', async () => {
  const { page, open, context } = await newVisitor(browser, service, { javaScriptEnabled: false })
  await open('/')
  const shown = await cards(page)
  assert.equal(shown.length, 8)
  assert.equal(shown.filter((name) => name === 'Team 9').length, 1)
  assert.ok(shown.indexOf('Team 9') < shown.indexOf('Team 1'), shown.join())
  const changed = page.getByRole('list', { name: 'Changed by you' })
  const { y = Number.NaN } = (await changed.boundingBox()) ?? {}
  assert.ok(y < 1000, `recent changes begin at ${y}`)
  await page.setViewportSize({ width: 360, height: 740 })
  assert.equal((await cards(page)).length, 4)
  await page.getByRole('link', { name: 'All spaces' }).click()
  const all = await cards(page)
  for (let n = 1; n <= 9; n++) assert.ok(all.includes(`Team ${n}`), `Team ${n}`)
  await page.getByRole('link', { name: 'Team 9', exact: true }).click()
  await page.waitForURL('**/browse/team-9')
  await context.close()
})

test('a few spaces are all on the start screen, in natural order', async () => {
  const { admin } = service
  for (const n of [7, 8, 9]) {
    assertStatus(await admin.patch(`/spaces/team-${n}`, { visibility: 'private' }), 200)
  }
  assert.equal((await admin.patch('/spaces/team-1', { name: 'Team 10' })).status, 200)
  const { page, open, context } = await newVisitor(browser, service, { key: other })
  await open('/')
  assert.deepEqual(
    (await cards(page)).filter((name) => name.startsWith('Team')),
    [2, 3, 4, 5, 6, 10].map((n) => `Team ${n}`),
  )
  assert.equal(await page.getByRole('link', { name: 'All spaces' }).count(), 0)
  assert.equal(await page.getByRole('link', { name: 'Invite people' }).count(), 0)
  await context.close()
})

test('a page that was moved is among the recently read ones once', async () => {
  const { admin } = service
  assertStatus(await admin.put('/pages/team-9/old', '# Moved plan'), 201)
  assertStatus(await admin.put('/pages/team-9/twin', '# Moved plan'), 201)
  const { page, open, context } = await newVisitor(browser, service)
  const listed = async () => {
    await open('/')
    return page.locator('#visited .quiet').allInnerTexts()
  }
  await open('/pages/team-9/old')
  await open('/pages/team-9/twin')
  assert.deepEqual(await listed(), ['team-9/twin', 'team-9/old'])
  const move = { to: { path: 'new' } }
  assertStatus(await admin.call('POST', '/pages/team-9/old/move', { json: move, headers: { 'if-match': '*' } }), 200)
  await open('/pages/team-9/new')
  await page.waitForFunction(() => JSON.parse(localStorage.getItem('recto.visited') ?? '[]').length === 2)
  assert.deepEqual(await listed(), ['team-9/new', 'team-9/twin'])
  await context.close()
})
