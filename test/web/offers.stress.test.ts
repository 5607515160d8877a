import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Client } from '../support/client.ts'
import { newKey, newPerson } from '../support/people.ts'
import { formsIn, linksIn, openWebSession } from '../support/web-session.ts'
import { type Stage, startStage } from './screens.ts'

let stage: Stage
let admin: Client
before(async () => {
  stage = await startStage()
  admin = stage.service.admin
})
after(() => stage?.[Symbol.asyncDispose]())

/**
 * A link without the values of its query: links of one shape have one route and one rule, and one of them is followed.
 */
function shapeOf(link: string): string {
  const [path = '', query = ''] = link.split('?')
  return `${path}?${[...new URLSearchParams(query).keys()].join('&')}`
}

/** Opens all screens with a key, and returns the actions that they offer and that are then forbidden. */
async function forbiddenOffers(key: string): Promise<string[]> {
  const session = await openWebSession(admin.base, key)
  const found: string[] = []
  const statuses = new Map<string, number>()
  const links = new Map<string, string>()
  const forms = new Map<string, ReturnType<typeof formsIn>[number] & { readonly on: string }>()
  for (const [name, address] of stage.screens) {
    const { status, text } = await session.get(address)
    assert.ok(status < 500, `${name}: ${status}`)
    statuses.set(address, status)
    if (status !== 200 && status !== 404 && status !== 410) continue
    for (const link of linksIn(text)) links.set(shapeOf(link), link)
    for (const form of formsIn(text))
      forms.set(form.action + JSON.stringify(form.fields.slice(1)), { ...form, on: name })
  }
  for (const link of links.values()) {
    const status = statuses.get(link) ?? (await session.get(link)).status
    if (status === 403 || status >= 500) found.push(`${status} ${link}`)
  }
  for (const form of forms.values()) {
    // It would end the session.
    if (form.action === '/sign-out') continue
    assert.ok(
      form.fields.some(([name]) => name === 'csrf'),
      `${form.on}: ${form.action} carries no token`,
    )
    const { status } = await session.send(form)
    if (status === 403 || status >= 500) found.push(`${status} on ${form.on}: ${form.action}`)
  }
  return found
}

test('screens offer no action that the caller may not do, for every role and narrower keys', async () => {
  const ann = await newPerson(admin, 'Ann')
  const eve = await newPerson(admin, 'Eve')
  await admin.call('PUT', `/spaces/docs/members/${eve.id}`, { json: { role: 'editor' } })
  const sam = await newPerson(admin, 'Sam')
  for (const space of ['docs', 'empty']) {
    await admin.call('PUT', `/spaces/${space}/members/${sam.id}`, { json: { role: 'admin' } })
  }
  const bot = await newPerson(admin, 'Bot', { kind: 'agent', scopes: ['write'] })
  const { id } = (await admin.get('/me')).json
  const reading = await newKey(admin, id, { scopes: ['read'] })
  const some = await newKey(admin, id, { scopes: ['admin'], spaces: ['docs'] })
  const keys = { reader: ann.key, editor: eve.key, bot: bot.key, reading: reading.secret, some: some.secret }
  for (const [who, key] of Object.entries({ ...keys, admin: sam.key })) {
    assert.deepEqual(await forbiddenOffers(key), [], who)
  }
})

test('every action offered to an organisation admin is allowed', async () => {
  assert.deepEqual(await forbiddenOffers(admin.key ?? ''), [])
})
