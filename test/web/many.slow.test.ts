import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertStatus, type Client } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let admin: Client
before(async () => {
  service = await startService()
  admin = service.admin
})
after(() => service?.[Symbol.asyncDispose]())

const screen = async (url: string) => assertStatus(await admin.get(url, { accept: 'text/html' }), 200).text

test('the search in the settings of a space finds members who are not on the first screen, and offers to change and remove them', async () => {
  await admin.space('crowd')
  for (let n = 1; n <= 22; n++) {
    const name = `Member ${String(n).padStart(2, '0')}`
    const { id } = assertStatus(
      await admin.post('/admin/principals', { name, kind: 'human', role: 'member' }),
      201,
    ).json
    assertStatus(await admin.call('PUT', `/spaces/crowd/members/${id}`, { json: { role: 'editor' } }), 201)
  }
  const settings = await screen('/settings/crowd')
  assert.doesNotMatch(settings, /Member 22/)
  const found = await screen('/settings/crowd?q=Member+22')
  assert.match(found, /already editor/)
  const results = found.slice(found.indexOf('already editor'))
  assert.match(results, /Change/)
  assert.match(results, /Remove the member/)
})

test('forms offer each of more than 200 spaces by its name', async () => {
  for (let n = 1; n <= 201; n++) await admin.space(`team-${n}`, { name: `Team ${n}` })
  assertStatus(await admin.put('/pages/team-1/plan', '# Plan'), 201)
  for (const url of ['/account', '/connect', '/manage/invitations']) {
    const form = await screen(url)
    assert.match(form, /<input type="checkbox"[^>]* name="spaces\[\]" value="team-201"[^>]*><span>Team 201</, url)
  }
  for (const url of ['/manage/webhooks', '/move/team-1/plan', '/find']) {
    assert.match(await screen(url), /<option value="team-201">Team 201</, url)
  }
})
