import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { axeFindings } from '../support/axe.ts'
import { startBrowser } from '../support/browser.ts'
import { assertStatus } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

let service: Service
let browser: Browser
before(async () => {
  service = await startService()
  browser = await startBrowser()
  await service.admin.space('docs', { name: 'The docs', defaultRole: 'viewer' })
  assertStatus(
    await service.admin.put('/pages/docs/plan', '# Plan\n\nWe meet on Monday.\n\nSee [next](next.md) for more.\n'),
    201,
  )
  assertStatus(await service.admin.put('/pages/docs/next', '# Next\n'), 201)
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

test('a reader suggests a change in the editor, and an editor previews and merges it', async () => {
  const { key } = await newPerson(service.admin, 'Rita')
  const rita = await newVisitor(browser, service, { key })
  await rita.open('/pages/docs/plan')
  await rita.page.getByRole('link', { name: 'Suggest', exact: true }).click()
  const editor = rita.page.locator('form.editor [contenteditable=true]').first()
  await editor.waitFor()
  assert.deepEqual(await axeFindings(rita.page), [])
  await rita.page.getByLabel('Title of a new one').fill('Another day')
  await editor.press('Control+End')
  await rita.page.keyboard.type('And on Friday.')
  await rita.page.getByRole('button', { name: 'Save suggestion' }).click()
  await rita.page.getByRole('heading', { name: 'Another day' }).waitFor()
  assert.match(await rita.page.locator('.source-diff').innerText(), /And on Friday/)
  assert.deepEqual(await axeFindings(rita.page), [])
  assert.deepEqual(rita.complaints, [])
  await rita.context.close()

  const ann = await newVisitor(browser, service)
  await ann.open('/pages/docs/next')
  await ann.page.getByRole('link', { name: 'To review 1' }).click()
  assert.deepEqual(await axeFindings(ann.page), [])
  await ann.page.getByRole('link', { name: 'Another day' }).click()
  await ann.page.getByRole('link', { name: 'See the space with it' }).click()
  await ann.page.getByText('You see this space with change request 1').waitFor()
  assert.match(await ann.page.locator('article').innerText(), /And on Friday/)
  assert.deepEqual(await axeFindings(ann.page), [])
  await ann.page.locator('.page-tree').getByRole('link', { name: 'Next' }).click()
  await ann.page.getByText('You see this space with change request 1').waitFor()
  await ann.page.getByRole('link', { name: 'change request 1', exact: true }).click()
  await ann.page.getByRole('button', { name: 'Merge' }).click()
  await ann.page.getByRole('status').getByText('Merged.').waitFor()
  // The `url` of the API leads people to the screen.
  await ann.open('/spaces/docs/change-requests/1')
  assert.equal(new URL(ann.page.url()).pathname, '/to-review/docs/1')
  await ann.open('/pages/docs/plan')
  assert.match(await ann.page.locator('article').innerText(), /And on Friday/)
  assert.deepEqual(ann.complaints, [])
  await ann.context.close()
})

test('a reviewer asks for changes, the author makes them, and the reviewer approves and merges', async () => {
  const people = await Promise.all(['Nora', 'Theo'].map((name) => newPerson(service.admin, name)))
  await service.admin.space('team', { name: 'The team', defaultRole: 'editor' })
  assertStatus(await service.admin.put('/pages/team/plan', '# Plan\n\nWe meet on Monday.\n'), 201)
  const [nora, theo] = await Promise.all(people.map(({ key }) => newVisitor(browser, service, { key })))
  assert.ok(nora && theo)
  await nora.open('/pages/team/plan')
  await nora.page.getByLabel('More actions').click()
  await nora.page.getByRole('link', { name: 'Suggest a change' }).click()
  const suggest = async (words: string) => {
    const editor = nora.page.locator('form.editor [contenteditable=true]').first()
    await editor.waitFor()
    await editor.press('Control+End')
    await nora.page.keyboard.type(words)
    await nora.page.getByRole('button', { name: 'Save suggestion' }).click()
    await nora.page.getByRole('heading', { name: 'Fridays' }).waitFor()
  }
  await nora.page.locator('form.editor [contenteditable=true]').first().waitFor()
  await nora.page.getByLabel('Title of a new one').fill('Fridays')
  await suggest('And on Friday.')
  const url = new URL(nora.page.url()).pathname

  const review = async (verdict: string, words: string) => {
    await theo.open(url)
    await theo.page.getByLabel(verdict).check()
    await theo.page.getByRole('textbox', { name: 'Comment optional' }).fill(words)
    await theo.page.getByRole('button', { name: 'Send the review' }).click()
    await theo.page.getByRole('status').getByText('Your review was sent.').waitFor()
  }
  await review('Ask for changes', 'At which time?')
  await nora.open(url)
  await nora.page.getByText('asks for changes').waitFor()
  await nora.page.getByText('At which time?').waitFor()
  await nora.page.getByRole('link', { name: /Edit draft/ }).click()
  await suggest(' At ten.')
  await nora.page.getByText('of older changes').waitFor()

  await review('Approve', 'Thank you')
  await theo.page.getByText('approves', { exact: true }).waitFor()
  assert.deepEqual(await axeFindings(theo.page), [])
  await theo.page.getByRole('button', { name: 'Merge' }).click()
  await theo.page.getByRole('status').getByText('Merged.').waitFor()
  await nora.open('/pages/team/plan')
  assert.match(await nora.page.locator('article').innerText(), /And on Friday\. At ten\./)
  const { createdBy } = (await service.admin.get('/pages/team/plan/versions')).json.items[0]
  assert.equal(createdBy.name, 'Nora')
  for (const each of [nora, theo]) {
    assert.deepEqual(each.complaints, [])
    await each.context.close()
  }
})
