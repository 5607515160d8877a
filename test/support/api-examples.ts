/** One call of every operation of the API, in an order in which all succeed: the examples of the OpenAPI document. */
import assert from 'node:assert/strict'
import type { Answer, Client } from './client.ts'
import { until } from './embedded.ts'
import { newPerson } from './people.ts'
import { openWebSession } from './web-session.ts'

type Values = Readonly<Record<string, string | number | boolean | readonly string[]>>

interface Sent {
  readonly path?: Values
  readonly query?: Values
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: unknown
  readonly body?: string | Uint8Array<ArrayBuffer>
}

/** An operation as the document shows it. */
export interface Example {
  readonly parameters: Values
  readonly request?: unknown
  readonly status: number
  readonly response?: unknown
}

/** A call of an operation by its id. */
export type Call = (operationId: string, sent?: Sent) => Promise<Answer>

interface ApiPaths {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>
}

/** Calls operations of a service by their ids, and keeps the first call of each as an example. */
export function recordCalls(
  client: Client,
  api: ApiPaths,
): { readonly call: Call; readonly examples: Map<string, Example> } {
  const examples = new Map<string, Example>()
  const operations = Object.entries(api.paths).flatMap(([url, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => [operationId, { url, method }] as const),
  )
  const byId = new Map(operations)
  const call: Call = async (operationId, { path = {}, query = {}, headers = {}, json, body } = {}) => {
    const operation = byId.get(operationId)
    assert.ok(operation, `no operation ${operationId}`)
    const url = operation.url.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(path[name])))
    const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
    const options = { headers, ...(json !== undefined && { json }), ...(body !== undefined && { body }) }
    const target = search.size === 0 ? url : `${url}?${search}`
    const answer = await client.call(operation.method.toUpperCase(), target, options)
    assert.ok(answer.status < 300, `${operationId}: ${answer.status} ${answer.text.slice(0, 500)}`)
    if (!examples.has(operationId)) {
      examples.set(operationId, {
        parameters: { ...path, ...query, ...conditions(headers) },
        ...(json !== undefined && { request: json }),
        status: answer.status,
        ...(answer.json !== undefined && { response: answer.json }),
      })
    }
    return answer
  }
  return { call, examples }
}

/** The headers that are parameters of operations. */
function conditions(headers: Readonly<Record<string, string>>): Values {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('if-')))
}

const JSON_ONLY = { accept: 'application/json' }
const docs = { space: 'docs' }
const start = { space: 'docs', path: 'guide/start' }
const BODY = '# Getting started\n\nRead the [steps](./steps.md) first, then [ask](./ask.md).\n'
const ANY = { 'if-match': '*' }
/** A picture of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Calls every operation once; `hook` receives webhooks. */
export async function callEverything(call: Call, admin: Client, hook: string): Promise<void> {
  await callService(call)
  await callAccount(call, admin)
  await callOrganisation(call, admin)
  await callSpaces(call, admin)
  await callPages(call)
  await callMetadataAndLinks(call)
  await callSearch(call)
  await callFiles(call)
  await callTemplates(call, admin)
  await callWebhooks(call, hook)
  await callNotifications(call, admin)
  await callChangeRequests(call)
  await callComments(call)
  await callRemovals(call)
}

async function callService(call: Call): Promise<void> {
  await call('service.health')
  await call('service.ready')
  await call('service.problem', { path: { code: 'precondition_failed' } })
}

async function callAccount(call: Call, admin: Client): Promise<void> {
  await call('me.get')
  const key = await call('me.keys.create', {
    json: { name: 'Laptop', scopes: ['write'], expiresAt: '2030-01-31T12:00:00Z' },
  })
  await call('me.keys.list', { query: { limit: 2 } })
  await call('me.keys.revoke', { path: { id: key.json.apiKey.id } })
  await call('me.passkeys.list')
  await openWebSession(admin.base, String(admin.key))
  const [session] = (await call('me.sessions.list')).json.items
  await call('me.sessions.end', { path: { id: session.id } })
  await call('me.sessions.endOthers')
  await call('me.connections.list')
  await call('me.firstSteps.remove', { path: { step: 'import' } })
}

async function callOrganisation(call: Call, admin: Client): Promise<void> {
  const ann = { name: 'Ann Lee', kind: 'human', email: 'ann@example.org' }
  const { id } = (await call('principals.create', { json: ann })).json
  await call('principals.list', { query: { kind: 'human', limit: 2 } })
  await call('principals.get', { path: { id } })
  await call('principals.update', { path: { id }, json: { role: 'admin' } })
  await call('principals.createPasswordLink', { path: { id } })
  const second = (await call('principals.create', { json: { name: 'Ann Lee', kind: 'human' } })).json
  await call('principals.merge', { path: { id: second.id }, json: { into: id } })
  const agent = await newPerson(admin, 'Release bot', { kind: 'agent' })
  const key = { principal: agent.id, name: 'Continuous integration', scopes: ['write'] }
  const created = await call('keys.create', { json: key })
  await call('keys.list', { query: { principal: agent.id, limit: 2 } })
  await call('keys.revoke', { path: { id: created.json.apiKey.id } })
  const group = (await call('groups.create', { json: { name: 'Authors', description: 'Write the guide' } })).json
  await call('groups.list')
  await call('groups.get', { path: { id: group.id } })
  await call('groups.update', { path: { id: group.id }, json: { description: 'Write and review' } })
  await call('groups.members.add', { path: { id: group.id, principal: id } })
  await call('groups.members.list', { path: { id: group.id } })
  await call('groups.members.remove', { path: { id: group.id, principal: id } })
  const invited = (await call('invitations.create', { json: { email: 'kim@example.org', role: 'member' } })).json
    .invitation
  await call('invitations.list')
  await call('invitations.resend', { path: { id: invited.id } })
  await call('invitations.revoke', { path: { id: invited.id } })
  await call('scim.createToken')
  await call('scim.get')
  await call('scim.endToken')
  await call('audit.list', { query: { action: 'group.created', limit: 2 } })
}

async function callSpaces(call: Call, admin: Client): Promise<void> {
  await call('spaces.create', { json: { slug: 'docs', name: 'Documentation', visibility: 'private' } })
  await call('spaces.list', { query: { limit: 2 } })
  await call('spaces.get', { path: docs })
  await call('spaces.update', { path: docs, json: { description: 'How to use it' } })
  const kim = await newPerson(admin, 'Kim Osei')
  const member = { ...docs, principal: kim.id }
  await call('spaces.members.set', { path: member, json: { role: 'editor' } })
  await call('spaces.members.list', { path: docs })
  await call('spaces.members.candidates', { path: docs, query: { name: 'kim' } })
  await call('spaces.members.remove', { path: member })
  await call('accessRequests.create', { json: { space: 'docs', path: 'guide/start', note: 'I write the guide' } })
  for (const decision of ['approve', 'decline'] as const) {
    const asker = await newPerson(admin, `Asker to ${decision}`)
    await asker.client.post('/access-requests', { space: 'docs', note: 'I write the guide' })
    const { items } = (await call('spaces.accessRequests.list', { path: docs })).json
    const request = { path: { ...docs, id: items[0].id } }
    if (decision === 'approve') await call('spaces.accessRequests.approve', { ...request, json: { role: 'viewer' } })
    else await call('spaces.accessRequests.decline', request)
  }
  const group = (await admin.get('/admin/groups')).json.items[0]
  const place = { ...docs, group: group.id }
  await call('spaces.groups.set', { path: place, json: { role: 'editor' } })
  await call('spaces.groups.list', { path: docs })
  await call('groups.spaces', { path: { id: group.id } })
  await call('spaces.groups.remove', { path: place })
  const folder = { ...docs, prefix: 'guide/internal' }
  await call('spaces.rules.set', { path: folder, json: { read: [{ group: group.id }], write: 'inherit' } })
  await call('spaces.rules.get', { path: folder })
  await call('spaces.rules.list', { path: docs })
  await call('spaces.shares', { path: docs })
  await call('spaces.readers', { path: docs, query: { path: 'guide/internal' } })
  await call('principals.access', { query: { principal: member.principal, space: docs.space, path: 'guide/internal' } })
  await call('spaces.rules.remove', { path: folder })
  const invitation = { email: 'noor@example.org', role: 'viewer' }
  const { id } = (await call('spaces.invitations.create', { path: docs, json: invitation })).json.invitation
  await call('spaces.invitations.list', { path: docs })
  await call('spaces.invitations.resend', { path: { ...docs, id } })
  await call('spaces.invitations.revoke', { path: { ...docs, id } })
  await call('groups.delete', { path: { id: group.id } })
}

async function callPages(call: Call): Promise<void> {
  await call('pages.put', { path: start, json: { body: BODY, note: 'First draft' } })
  await call('pages.get', { path: start, headers: JSON_ONLY })
  await call('me.favourites.addSpace', { path: docs })
  await call('me.favourites.addPage', { path: start })
  await call('me.favourites.list')
  await call('shares.list', { path: start })
  await call('verifications.report', { path: docs, query: { status: 'none' } })
  await call('me.favourites.removePage', { path: start })
  await call('me.unsaved.putPage', { path: start, json: { body: '# Start\n\nNot saved yet', version: 1 } })
  await call('me.unsaved.putSpace', { path: docs, json: { body: '# A new page' } })
  await call('me.unsaved.list')
  await call('me.unsaved.getPage', { path: start })
  await call('me.unsaved.getSpace', { path: docs })
  await call('me.unsaved.deletePage', { path: start })
  await call('me.unsaved.deleteSpace', { path: docs })
  await call('me.favourites.removeSpace', { path: docs })
  const edits = [{ op: 'appendToSection', heading: 'Getting started', text: 'Welcome!' }]
  await call('pages.edit', { path: start, headers: { 'if-match': '"1"' }, json: { edits } })
  await call('pages.versions.list', { path: start, query: { limit: 2 } })
  await call('pages.versions.get', { path: { ...start, n: 1 }, headers: JSON_ONLY })
  await call('pages.versions.restore', { path: { ...start, n: 1 } })
  const steps = { op: 'put', space: 'docs', path: 'guide/steps', body: '# Steps\n\n1. Look\n2. Leap\n' }
  const old = { op: 'put', space: 'docs', path: 'notes/old', body: '# Old\n' }
  await call('pages.batch', { json: { operations: [steps, old] } })
  await call('pages.batchGet', { json: { pages: [start, { space: 'docs', path: 'none' }] } })
  await call('pages.list', { path: docs, query: { prefix: 'guide/', limit: 2 } })
  await call('pages.listPersonal')
  await call('pages.recent', { query: { space: 'docs', limit: 2 } })
  await call('spaces.order.set', { path: docs, json: { folder: 'guide', names: ['start', 'steps'] } })
  await call('spaces.order.get', { path: docs, query: { folder: 'guide' } })
  await call('spaces.order.place', { path: docs, json: { path: 'guide/steps', after: null } })
}

async function callMetadataAndLinks(call: Call): Promise<void> {
  const patch = { set: { status: 'review', due: '2026-03-01' }, appendUnique: { tags: ['howto'] } }
  await call('metadata.patch', { path: start, json: patch })
  await call('metadata.get', { path: start })
  await call('metadata.history', { path: start, query: { key: 'status' } })
  await call('metadata.batch', { json: { filters: [{ key: 'tags', op: 'exists' }], set: { owner: 'Ann' } } })
  const filters = JSON.stringify([{ key: 'status', op: 'eq', value: 'review' }])
  const query = { filters, orderBy: 'due', order: 'desc', includeMetadata: true }
  await call('metadata.search', { query })
  await call('metadata.keys', { query: { space: 'docs' } })
  await call('metadata.values', { query: { key: 'status', space: 'docs' } })
  await call('pages.links', { path: start })
  await call('links.broken', { path: docs })
  await call('links.orphans', { path: docs })
  await call('links.wanted', { path: docs })
  const rebuild = await call('links.rebuild', { query: { space: 'docs' } })
  await call('links.rebuildStatus', { path: { id: rebuild.json.id } })
}

async function callSearch(call: Call): Promise<void> {
  await call('search.pages', { query: { q: 'getting started', space: 'docs' } })
  await call('pages.find', { query: { q: 'start', limit: 5 } })
  await call('search.suggest', { query: { q: 'sta' } })
  await call('changes.list', { query: { since: 'now' } })
  await call('presence.list', { query: { reading: ['docs/guide/start'] } })
  const move = { to: { path: 'archive/old' }, rewriteLinks: true }
  await call('pages.move', { path: { space: 'docs', path: 'notes/old' }, headers: ANY, json: move })
  await call('folders.move', { path: docs, json: { path: 'archive', to: { path: 'attic' } } })
  await call('folders.delete', { path: docs, json: { path: 'attic', dryRun: true } })
}

async function callFiles(call: Call): Promise<void> {
  const file = { space: 'docs', path: 'guide/photo.png' }
  await call('files.put', { path: file, body: new Uint8Array(PNG) })
  await call('files.get', { path: file, headers: JSON_ONLY })
  await call('files.versions.list', { path: file })
  await call('files.list', { path: docs, query: { type: 'image/' } })
  const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="notes.txt"\r\n\r\nNotes\r\n--b--\r\n'
  const type = { 'content-type': 'multipart/form-data; boundary=b' }
  await call('files.upload', { path: docs, headers: type, body: form })
  const to = { path: 'guide/picture.png' }
  await call('files.move', { path: file, headers: ANY, json: { to } })
}

async function callTemplates(call: Call, admin: Client): Promise<void> {
  const body = '---\ntitle: Decision\n---\n# {{title}}\n\nWe decided on {{date}}.\n'
  await call('pages.putMarkdown', { path: { space: 'docs', path: 'templates/decision' }, body })
  await call('templates.list', { query: { space: 'docs' } })
  await call('spaceTemplates.list', { query: { source: 'builtin', limit: 2 } })
  const handbook = { source: 'builtin', id: 'team-handbook' }
  await call('spaceTemplates.createSpace', { path: handbook, json: { slug: 'handbook' } })
  await call('spaceTemplates.create', { json: { space: 'docs', id: 'product-docs', category: 'Product' } })
  await call('spaceTemplates.get', { path: { source: 'org', id: 'product-docs' } })
  await call('spaceTemplates.delete', { path: { source: 'org', id: 'product-docs' } })
  const bundle = (await call('spaces.export', { path: docs })).json
  const [page] = bundle.pages
  await call('spaces.create', { json: { slug: 'copy' } })
  const report = { ...bundle, pages: [page], files: [] }
  await call('spaces.import', { path: { space: 'copy' }, query: { onConflict: 'skip' }, json: report })
  const job = '019aaa00-0000-7000-8000-0000000000aa'
  await admin.get(`/export/docs/download?format=json&job=${job}`)
  await until(async () => (await admin.get('/admin/jobs')).json.items[0].status === 'done')
  await call('jobs.list', { query: { limit: 2 } })
  await call('jobs.cancel', { path: { id: job } })
}

async function callWebhooks(call: Call, hook: string): Promise<void> {
  const input = { url: hook, events: ['page.created', 'page.updated'], description: 'To the chat' }
  const { id } = (await call('webhooks.create', { json: input })).json.webhook
  await call('webhooks.list')
  await call('webhooks.get', { path: { id } })
  await call('webhooks.update', { path: { id }, json: { events: ['*'] } })
  const { delivery } = (await call('webhooks.test', { path: { id } })).json
  await call('webhooks.deliveries.list', { path: { id }, query: { limit: 1 } })
  const one = { id, deliveryId: delivery.id }
  await call('webhooks.deliveries.get', { path: one })
  await call('webhooks.deliveries.redeliver', { path: one })
  await call('webhooks.rotateSecret', { path: { id }, json: { graceSeconds: 3600 } })
  await call('webhooks.delete', { path: { id } })
}

async function callNotifications(call: Call, admin: Client): Promise<void> {
  await call('me.watches.addSpace', { path: docs })
  await call('me.watches.addPage', { path: { ...docs, path: 'guide' }, query: { kind: 'folder' } })
  const { id } = (await admin.post('/threads/docs/guide/start', { body: 'Which steps?' })).json
  await call('me.watches.addThread', { path: { id } })
  await call('me.watches.removeThread', { path: { id } })
  const max = await newPerson(admin, 'Max Roth', { role: 'admin' })
  await max.client.put('/pages/docs/guide/more', '# More\n')
  await until(async () => (await admin.get('/me/notifications')).json.items.length > 0)
  const { items } = (await call('me.notifications.list', { query: { unread: true } })).json
  await call('me.notifications.count')
  await call('me.notifications.mark', { json: { ids: [items[0].id], read: true } })
  await call('me.watches.list')
  await call('me.notificationSettings.update', { json: { mail: 'immediate' } })
  await call('me.notificationSettings.get')
  await call('me.watches.removePage', { path: { ...docs, path: 'guide' }, query: { kind: 'folder' } })
  await call('me.watches.removeSpace', { path: docs })
}

async function callChangeRequests(call: Call): Promise<void> {
  const one = { ...docs, number: 1 }
  await call('changeRequests.create', { path: docs, json: { title: 'Shorter start' } })
  await call('pages.delete', { path: start, query: { changeRequest: '1' }, headers: { 'if-match': '"3"' } })
  const picture = { space: 'docs', path: 'guide/picture.png' }
  await call('files.delete', { path: picture, query: { changeRequest: '1' }, headers: ANY })
  await call('changeRequests.list', { path: docs, query: { state: 'open' } })
  await call('changeRequests.listAll', { query: { author: 'me' } })
  await call('changeRequests.changes', { path: one })
  await call('changeRequests.threads.create', { path: one, json: { body: 'Is it needed at all?' } })
  await call('changeRequests.threads.list', { path: one, query: { state: 'open' } })
  await call('changeRequests.diff', { path: one, query: { path: start.path } })
  const tag = async (path: Values) => ({ 'if-match': String((await call('changeRequests.get', { path })).json.etag) })
  await call('changeRequests.update', { path: one, headers: await tag(one), json: { description: 'Who needs it?' } })
  await call('changeRequests.review', {
    path: one,
    headers: await tag(one),
    json: { verdict: 'comment', body: 'Why?' },
  })
  await call('changeRequests.check', { path: one, headers: await tag(one), json: { name: 'prose', status: 'passed' } })
  await call('changeRequests.close', { path: one })
  await call('changeRequests.reopen', { path: one })
  const title = { changeRequest: 'new', title: 'Owner of the start' }
  await call('metadata.patch', { path: start, query: title, json: { set: { owner: 'Kim' } } })
  const two = { ...docs, number: 2 }
  await call('changeRequests.updateDrafts', { path: two, headers: await tag(two), json: {} })
  await call('changeRequests.merge', { path: two, headers: await tag(two), json: {} })
  await call('changeRequests.delete', { path: one })
  await call('files.delete', { path: picture, headers: ANY })
  await call('files.trash', { path: docs })
  await call('files.restore', { path: picture })
}

async function callComments(call: Call): Promise<void> {
  const thread = (await call('threads.create', { path: start, json: { body: 'Who keeps this up to date?' } })).json
  const one = { id: thread.id }
  await call('threads.list', { path: start, query: { state: 'open' } })
  await call('threads.get', { path: one })
  await call('threads.reply', { path: one, json: { body: 'Kim does.' } })
  await call('threads.resolve', { path: one })
  await call('threads.reopen', { path: one })
  const comment = { id: thread.comments[0].id }
  await call('comments.update', { path: comment, json: { body: 'Who keeps it up to date?' } })
  await call('comments.delete', { path: comment })
}

async function callRemovals(call: Call): Promise<void> {
  await call('pages.delete', { path: start, headers: { 'if-match': '"3"' } })
  await call('pages.trash', { path: docs })
  await call('pages.restore', { path: start })
  await call('files.list', { path: docs })
  await call('spaces.create', { json: { slug: 'empty' } })
  await call('spaces.delete', { path: { space: 'empty' } })
}
