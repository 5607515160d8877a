import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { assistants } from '../../packages/server/src/interfaces/web/connect/assistants.ts'
import { assertStatus } from '../support/client.ts'
import { callTool, openBrowser } from '../support/oauth.ts'
import { newPerson } from '../support/people.ts'
import { ROOT } from '../support/process.ts'
import { type Service, startService } from '../support/service.ts'
import { formsIn } from '../support/web-session.ts'

let service: Service
before(async () => {
  service = await startService()
})
after(() => service[Symbol.asyncDispose]())

test('docs/agents.md has the settings of every assistant that the screen shows', () => {
  const text = readFileSync(join(ROOT, 'docs/agents.md'), 'utf8')
  for (const { name, oauth, key } of assistants('https://wiki.example.org/mcp')) {
    assert.ok(text.includes(`**${name}.**`), name)
    for (const settings of [oauth, key ?? '']) assert.ok(text.includes(settings), `${name}: ${settings}`)
  }
})

test('a member creates a restricted key for an assistant, and the settings contain it; a key with more rights is rejected', async () => {
  await service.admin.space('open')
  const member = await newPerson(service.admin, 'Ada')
  const browser = await openBrowser(service.admin.base, member.key)
  const { status, text } = await browser.open('/connect')
  assert.equal(status, 200)
  assert.ok(text.includes(`${service.admin.base}/mcp`))
  const form = formsIn(text).find(({ action }) => action === '/connect/keys')
  assert.ok(form)
  const fields = { keyName: 'Cursor', scope: 'read', spaces: 'open', days: '30' }
  for (const wide of [{ scope: 'admin' }, { days: '' }]) {
    assert.equal((await browser.send(form, { ...fields, ...wide })).status, 400)
  }
  const made = await browser.send(form, fields)
  assert.equal(made.status, 201)
  const key = /svc_[0-9A-Za-z]{36}/.exec(made.text)?.[0] ?? ''
  assert.ok(made.text.includes(`Authorization: Bearer ${key}`))
  assertStatus(await callTool(service.nobody, key, 'context_list_spaces'), 200)
  const [stored] = (await member.client.get('/me/api-keys')).json.items.filter(
    ({ name }: { name: string }) => name === 'Cursor',
  )
  assert.deepEqual([stored.scopes, stored.spaces], [['read'], ['open']])
})

test('a session without full access shows the settings, and no form for a key', async () => {
  const reader = await newPerson(service.admin, 'Reader', { scopes: ['read'] })
  const { status, text } = await (await openBrowser(service.admin.base, reader.key)).open('/connect')
  assert.equal(status, 200)
  assert.deepEqual(
    formsIn(text).filter(({ action }) => action.startsWith('/connect')),
    [],
  )
})

test('where public spaces are allowed, clients that should sign in get the URL that asks for it', async () => {
  await using open = await startService({ SVC_PUBLIC_SPACES: 'on' })
  const { text } = await (await openBrowser(open.admin.base, open.admin.key ?? '')).open('/connect')
  assert.ok(text.includes(`<code>${open.admin.base}/mcp?sign-in</code>`))
  assert.ok(text.includes('&quot;Authorization&quot;') && text.includes(`${open.admin.base}/mcp&quot;`))
})
