import assert from 'node:assert/strict'
import { type Answer, assertStatus, type Client } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { startReceiver } from '../support/receiver.ts'

/**
 * Makes a little of everything that the service stores, by the API that releases have in common. Run once for each
 * release, before dump.sh; what a later release finds of it is in upgrade.test.ts.
 */
export async function fill(admin: Client): Promise<void> {
  await admin.space('guide', { name: 'Guide' })
  await admin.space('secret', { visibility: 'private' })
  const bob = ok(await admin.post('/admin/principals', { name: 'Bob', kind: 'human' })).json
  ok(await admin.post('/admin/api-keys', { principal: bob.id, name: 'laptop', scopes: ['read', 'write'] }))
  ok(await admin.call('PUT', `/spaces/secret/members/${bob.id}`, { json: { role: 'editor' } }))
  ok(await admin.put('/pages/personal/diary', '# Mine\n\nOnly for me.'))

  // Links to a page, to one that is missing, and into a space that does not exist.
  const body = `---\nstatus: draft\n---\n# Home\n\n[setup](setup) [gone](gone) [other](/pages/later/page) findable`
  ok(await admin.put('/pages/guide/home', body))
  ok(await admin.put('/pages/guide/setup', '# Setup\n\nBack to [home](home).'))
  for (let version = 1; version < 25; version++) {
    const text = `# Setup\n\nBack to [home](home). Edited ${version} times.`
    ok(await admin.put('/pages/guide/setup', text, { 'if-match': `"${version}"` }))
  }
  ok(await admin.post('/pages/guide/setup/versions/3/make-latest', undefined, { 'if-match': '"25"' }))
  ok(
    await admin.patch('/pages/guide/setup/metadata', {
      set: { owner: 'bob', due: '2026-12-24', points: 5, tags: ['a', 'b'] },
    }),
  )
  ok(await admin.patch('/pages/guide/setup/metadata', { append: { tags: ['c'] } }))
  ok(await admin.patch('/pages/guide/setup/metadata', { set: { points: null } }))

  // Moved, deleted, and renamed.
  ok(await admin.put('/pages/guide/moving', '# Moving'))
  ok(await admin.post('/pages/guide/moving/move', { to: { path: 'moved' } }, { 'if-match': '"1"' }))
  ok(await admin.put('/pages/guide/trashed', '# Trashed'))
  ok(await admin.delete('/pages/guide/trashed', { 'if-match': '"1"' }))
  await admin.space('former')
  ok(await admin.patch('/spaces/former', { slug: 'renamed' }))

  // A page with an order, a mark, a group with a role, and an invitation.
  ok(await admin.call('PUT', '/spaces/guide/order', { json: { folder: '', names: ['setup', 'home'] } }))
  ok(await admin.call('PUT', '/me/favourites/guide/home'))
  const group = ok(await admin.post('/admin/groups', { name: 'Authors', description: 'Write the guide' })).json
  ok(await admin.call('PUT', `/admin/groups/${group.id}/members/${bob.id}`))
  ok(await admin.call('PUT', `/spaces/guide/groups/${group.id}`, { json: { role: 'editor' } }))
  ok(await admin.post('/admin/invitations', { email: 'kim@example.org', role: 'member' }))

  // Files: one with two versions that a page shows, one that moved, one in the trash.
  const upload = (path: string, text: string, headers: Readonly<Record<string, string>> = {}) =>
    admin.call('PUT', `/files/guide/${path}`, {
      body: new TextEncoder().encode(text),
      headers: { 'content-type': 'text/plain', ...headers },
    })
  ok(await upload('notes.txt', 'first'))
  ok(await upload('notes.txt', 'second', { 'if-match': '"1"' }))
  ok(await admin.put('/pages/guide/with-file', '# With a file\n\n[notes](notes.txt)'))
  ok(await upload('draft.txt', 'draft'))
  ok(await admin.post('/files/guide/draft.txt/move', { to: { path: 'final.txt' } }, { 'if-match': '"1"' }))
  ok(await upload('old.txt', 'old'))
  ok(await admin.delete('/files/guide/old.txt', { 'if-match': '"1"' }))

  await fillDeliveries(admin)

  // Templates, a webhook with a delivery that waits, and a request that was sent with a key.
  ok(await admin.put('/pages/guide/templates/note', '# {{title}}\n\nA note.'))
  ok(await admin.post('/space-templates/org', { space: 'guide' }))
  const url = 'https://receiver.invalid/hook'
  ok(await admin.post('/admin/webhooks', { url, events: ['page.created'] }))
  const once = { 'idempotency-key': '"fill-1"' }
  ok(await admin.put('/pages/guide/once', '# Once', once))
}

/** A delivery that failed once and then arrived, and one that was rejected for good: both have attempts. */
async function fillDeliveries(admin: Client): Promise<void> {
  await using receiver = await startReceiver((response, { path }, count) =>
    response.writeHead(path === '/gone' ? 410 : count === 1 ? 500 : 204).end('an answer'),
  )
  const hook = { url: receiver.url, events: ['page.updated'], spaceSlug: 'guide' }
  const { id } = ok(await admin.post('/admin/webhooks', hook)).json.webhook
  const home = ok(await admin.get('/pages/guide/home.md')).text
  ok(await admin.put('/pages/guide/home', home.replace('# Home', '# Our home'), { 'if-match': '"1"' }))
  await until(async () => {
    const [delivery] = await admin.all(`/admin/webhooks/${id}/deliveries`)
    return delivery?.status === 'succeeded'
  }, 60_000)
  const gone = { url: receiver.url.replace('/hook', '/gone'), events: ['space.created'] }
  const rejected = ok(await admin.post('/admin/webhooks', gone)).json.webhook
  await admin.space('announced')
  await until(async () => {
    const [delivery] = await admin.all(`/admin/webhooks/${rejected.id}/deliveries`)
    return delivery?.status === 'failed'
  }, 60_000)
}

function ok(answer: Answer): Answer {
  assert.ok(answer.status < 300, `${answer.status}: ${answer.text.slice(0, 500)}`)
  return answer.status === 204 ? answer : assertStatus(answer, answer.status)
}
