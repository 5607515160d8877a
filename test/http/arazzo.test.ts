import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, test } from 'node:test'
import { runWorkflow, type Workflow } from '../support/arazzo.ts'
import { assertStatus } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { startReceiver } from '../support/receiver.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let run: (workflowId: string, inputs: Readonly<Record<string, unknown>>) => ReturnType<typeof runWorkflow>
const ran = new Set<string>()
let workflows: readonly Workflow[]
before(async () => {
  service = await startService({ SVC_WEBHOOKS_ALLOW_HTTP: '1', SVC_WEBHOOKS_ALLOW_PRIVATE_URLS: '1' })
  const { admin } = service
  const document = assertStatus(await service.nobody.get('/arazzo.json'), 200).json
  const [source] = document.sourceDescriptions
  const api = (await admin.get(new URL(source.url).pathname)).json
  workflows = document.workflows
  run = (workflowId, inputs) => {
    const workflow = workflows.find((each) => each.workflowId === workflowId)
    assert.ok(workflow, workflowId)
    ran.add(workflowId)
    return runWorkflow(admin, api, workflow, inputs)
  }
  await admin.space('docs')
})
after(() => service[Symbol.asyncDispose]())

test('a space is created with a member', async () => {
  const { id } = await newPerson(service.admin, 'Ann')
  const { url } = await run('create-space', { space: 'team', principal: id })
  assert.match(String(url), /\/spaces\/team$/)
})

test('a page is written, changed, and changed again after a conflict', async () => {
  const page = { space: 'docs', path: 'guide/start' }
  assert.deepEqual(await run('write-page', page), { etag: '"2"' })
  await run('resolve-conflict', { ...page, staleEtag: '"1"' })
  assert.equal((await service.admin.get('/pages/docs/guide/start.md')).text, '# Changed\nMore.')
})

test('a page is found by its metadata', async () => {
  assertStatus(await service.admin.put('/pages/docs/tagged', '# Tagged'), 201)
  await run('find-by-metadata', { space: 'docs', path: 'tagged' })
})

test('a webhook is received with a signature of its secret', async () => {
  await using receiver = await startReceiver()
  const { secret } = await run('receive-webhook', { url: receiver.url })
  const { body, headers } = await receiver.nth(1)
  const digest = createHmac('sha256', String(secret)).update(body).digest('hex')
  assert.equal(headers['x-svc-signature'], `sha256=${digest}`)
})

test('a change is received after the position that was read before it', async () => {
  await service.admin.space('feed')
  await run('follow-changes', { space: 'feed', path: 'new' })
})

test('every workflow was run', () => {
  assert.deepEqual([...ran].sort(), workflows.map(({ workflowId }) => workflowId).sort())
})
