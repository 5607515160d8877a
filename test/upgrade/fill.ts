import assert from 'node:assert/strict'
import { type Answer, assertStatus, type Client } from '../support/client.ts'

/**
 * Makes a little of everything that the service stores, by the API that releases have in common. Run once for each release,
 * by dump.ts; what a later release finds of it is in upgrade.test.ts.
 */
export async function fill(admin: Client, as: (key: string) => Client): Promise<void> {
  await admin.space('guide', { name: 'Guide' })
  await admin.space('secret', { visibility: 'private' })
  const bob = ok(await admin.post('/admin/principals', { name: 'Bob', kind: 'human' })).json
  const { secret } = ok(
    await admin.post('/admin/api-keys', { principal: bob.id, name: 'laptop', scopes: ['read', 'write'] }),
  ).json
  ok(await admin.call('PUT', `/spaces/secret/members/${bob.id}`, { json: { role: 'editor' } }))
  ok(await as(secret).put('/pages/personal/diary', '# Mine\n\nOnly for me.'))

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

  // Templates, a webhook with a delivery that waits, and a request that was sent with a key.
  ok(await admin.put('/pages/guide/templates/note', '# {{title}}\n\nA note.'))
  ok(await admin.post('/space-templates/org', { space: 'guide' }))
  const url = 'https://receiver.invalid/hook'
  ok(await admin.post('/admin/webhooks', { url, events: ['page.created'] }))
  const once = { 'idempotency-key': '"fill-1"' }
  ok(await admin.put('/pages/guide/once', '# Once', once))
}

function ok(answer: Answer): Answer {
  assert.ok(answer.status < 300, `${answer.status}: ${answer.text.slice(0, 500)}`)
  return answer.status === 204 ? answer : assertStatus(answer, answer.status)
}
