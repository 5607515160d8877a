import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { newPerson, type Person } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { signedIn } from '../support/signed-in.ts'

// Open windows show who else reads or edits the page, and what they save (decisions, section 15).

let service: Service
let browser: Browser
let ada: Person
let bob: Person
before(async () => {
  service = await startService()
  browser = await startBrowser()
  ada = await newPerson(service.admin, 'Ada')
  bob = await newPerson(service.admin, 'Bob Ross')
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

const people = (page: Page) => page.locator('.present .avatar')
const news = (page: Page) => page.locator('.news')

test('two people at a page see each other, what is saved, and merge it', { timeout: 90_000 }, async () => {
  const { admin } = service
  const { base } = admin
  await admin.space('o1', { visibility: 'org', defaultRole: 'editor' })
  await admin.write('o1/plan', '# Plan\n\nFirst.\n\nSecond.\n')
  await using adas = await signedIn(browser, base, ada.key)
  await using bobs = await signedIn(browser, base, bob.key)
  const reading = await adas.newPage()
  await reading.goto(`${base}/pages/o1/plan`)
  const editing = await bobs.newPage()
  await editing.goto(`${base}/edit/o1/plan`)
  await people(reading).first().waitFor()
  assert.equal(await people(reading).getAttribute('title'), 'Bob Ross edits this page')
  assert.equal(await people(editing).getAttribute('title'), 'Ada reads this page')
  // Another window of Ada is served by the same stream, and takes it over.
  const second = await adas.newPage()
  await second.goto(`${base}/pages/o1/plan`)
  await people(second).first().waitFor()
  await reading.close()
  const text = '# Plan\n\nFirst, changed.\n\nSecond.\n'
  assertStatus(await admin.put('/pages/o1/plan', text, { 'if-match': '"1"' }), 200)
  // What was saved while no window had the stream is told by its version alone.
  await news(second)
    .getByText(/version,? 2/)
    .waitFor()
  await news(editing).getByText('saved version 2').waitFor()
  assert.match((await news(second).getByText('What changed').getAttribute('href')) ?? '', /from=1&to=2/)
  await news(second).getByText('Show it').click()
  await second.getByText('First, changed.').waitFor()
  assert.equal(await news(second).textContent(), '')
  // What Bob has typed is merged with it.
  await editing.locator('.ProseMirror p').last().click()
  await editing.keyboard.press('End')
  await editing.keyboard.type(' And more.')
  await news(editing).getByRole('button', { name: 'Merge' }).click()
  await editing.getByText('merged below').waitFor()
  await editing.getByRole('button', { name: 'Save', exact: true }).click()
  await news(second).getByText('Bob Ross saved version 3').waitFor()
  const merged = await admin.get('/pages/o1/plan', { accept: 'text/markdown' })
  assert.equal(merged.text, '# Plan\n\nFirst, changed.\n\nSecond. And more.\n')
  // A task that one ticks oneself is no news.
  await admin.write('o1/tasks', '# Tasks\n\n- [ ] One\n')
  await second.goto(`${base}/pages/o1/tasks`)
  const told = second.waitForResponse((response) => response.url().includes('/tick/')).catch(() => undefined)
  await second.locator('.task-list-item input').click()
  await told
  await admin.post('/pages/o1/tasks/move', { to: { path: 'done' } }, { 'if-match': '"2"' })
  await news(second).getByText('moved this page').waitFor()
  await editing.close()
})
