import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { axeFindings } from '../support/axe.ts'
import { startBrowser } from '../support/browser.ts'
import { assertProblem, assertStatus } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { newVisitor } from '../support/visitor.ts'

let service: Service
let browser: Browser
before(async () => {
  ;[service, browser] = await Promise.all([startService(), startBrowser()])
  await service.admin.space('docs')
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})

const put = async (path: string, body: string, version?: number) =>
  assertStatus(
    await service.admin.put(`/pages/docs/${path}`, body, version === undefined ? {} : { 'if-match': `"${version}"` }),
    version === undefined ? 201 : 200,
  )
const markdown = async (path: string) => (await service.admin.get(`/pages/docs/${path}.md`)).text
const tick = (path: string, json: { version: number; task: number; isDone: boolean }) =>
  service.admin.post(`/tick/docs/${path}`, json)

test('a person ticks tasks by mouse and by keyboard: each changes one byte and makes one revision', async () => {
  const body =
    '---\ntags: [a]\n---\n# Plan\r\n\r\n- [ ] First\r\n  - [x] Below\r\n\r\n> 1. [ ] Quoted\r\n\r\n`[ ]` is no task\r\n'
  await put('plan', body)
  const { page, open, context, complaints } = await newVisitor(browser, service)
  await open('/pages/docs/plan')
  const first = page.getByRole('checkbox', { name: 'First' })
  await first.and(page.locator(':enabled')).check()
  await page.getByText('Task done').waitFor()
  assert.equal(await markdown('plan'), body.replace('[ ] First', '[x] First'))
  await page.getByRole('checkbox', { name: 'Below' }).focus()
  await page.keyboard.press('Space')
  await page.getByText('Task not done').waitFor()
  await page.getByRole('checkbox', { name: 'Quoted' }).check()
  await page.getByText('Task done').waitFor()
  assert.equal(
    await markdown('plan'),
    body.replace('[ ] First', '[x] First').replace('[x] Below', '[ ] Below').replace('[ ] Quoted', '[x] Quoted'),
  )
  assert.equal((await service.admin.page('/pages/docs/plan')).json.version, 4)
  assert.deepEqual(await axeFindings(page), [])
  await page.reload()
  assert.equal(await first.isChecked(), true)
  assert.deepEqual(complaints, [])
  await context.close()
})

test('a task that somebody moved is ticked where it is now, and one that was changed is not', async () => {
  await put('shared', '- [ ] Same\n- [ ] Other\n- [ ] Same\n')
  await put('shared', 'A new line.\n\n- [ ] Same\n- [x] Other\n- [ ] Same\n', 1)
  assert.equal(assertStatus(await tick('shared', { version: 1, task: 2, isDone: true }), 200).json.version, 3)
  assert.equal(await markdown('shared'), 'A new line.\n\n- [ ] Same\n- [x] Other\n- [x] Same\n')
  // It is done already: no further revision.
  assert.equal(assertStatus(await tick('shared', { version: 1, task: 1, isDone: true }), 200).json.version, 3)
  await put('shared', '- [ ] Changed\n', 3)
  assertProblem(await tick('shared', { version: 3, task: 0, isDone: true }), 412, 'precondition_failed')
  assertProblem(await tick('shared', { version: 4, task: 1, isDone: true }), 400, 'invalid_request')
  assert.equal((await service.admin.page('/pages/docs/shared')).json.version, 4)
})

test('the box is ticked, no other bracket of its line', async () => {
  const lines = [
    '[^1]: - [ ] In a footnote',
    '[^x]: 1. [ ] Numbered',
    '- [ ] With [ ] brackets',
    '> - [ ] Quoted [x]',
    '1. - [ ] Nested',
    '-   [ ]   Spaced',
    '* [ ]\tTab',
  ]
  for (const [index, line] of lines.entries()) {
    const [before, path] = [`Text[^1] [^x]\n\n${line}\n`, `brackets-${index}`]
    await put(path, before)
    assertStatus(await tick(path, { version: 1, task: 0, isDone: true }), 200)
    assert.equal(await markdown(path), before.replace('[ ]', '[x]'))
    assertStatus(await tick(path, { version: 2, task: 0, isDone: false }), 200)
    assert.equal(await markdown(path), before)
  }
})

test('tasks that are ticked at the same time are all ticked', async () => {
  const count = 6
  await put('busy', Array.from({ length: count }, (_, index) => `- [ ] Task ${index}\n`).join(''))
  const answers = await Promise.all(
    Array.from({ length: count }, (_, task) => tick('busy', { version: 1, task, isDone: true })),
  )
  for (const answer of answers) assertStatus(answer, 200)
  assert.equal((await markdown('busy')).match(/\[x\]/g)?.length, count)
  assert.equal((await service.admin.page('/pages/docs/busy')).json.version, count + 1)
})

test('readers, old versions and boxes that only look like tasks cannot be ticked', async () => {
  await put('closed', '- [ ] Task\n')
  const agent = await newPerson(service.admin, 'Reader', { kind: 'agent', scopes: ['read'] })
  assertProblem(await agent.client.post('/tick/docs/closed', { version: 1, task: 0, isDone: true }), 403, 'forbidden')
  const asReader = await agent.client.get('/pages/docs/closed', { accept: 'text/html' })
  assert.doesNotMatch(asReader.text, /data-tick/)
  await put('closed', '- [ ] Task\n\n<ul><li class="task-list-item"><input type="checkbox"> Raw</li></ul>\n', 1)
  const old = await service.admin.get('/pages/docs/closed?version=1', { accept: 'text/html' })
  assert.doesNotMatch(old.text, /data-tick/)
  const { page, open, context } = await newVisitor(browser, service)
  await open('/pages/docs/closed')
  await page.waitForLoadState('networkidle')
  assert.equal(await page.locator('.prose input:enabled').count(), 0)
  await context.close()
})
