import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
let admin: Client
before(async () => {
  service = await startService()
  admin = service.admin
})
after(() => service[Symbol.asyncDispose]())

const ANY = { 'if-match': '*' }

test('a dry run of a change of visibility says how many more can read how much history, and changes nothing', async () => {
  const [member, , editor] = [
    await newPerson(admin, 'Member'),
    await newPerson(admin, 'Other'),
    await newPerson(admin, 'Editor'),
    await newPerson(admin, 'Robot', { kind: 'agent' }),
  ]
  await admin.space('closed', { visibility: 'private' })
  const setRole = (id: string, role: string) => admin.call('PUT', `/spaces/closed/members/${id}`, { json: { role } })
  assertStatus(await setRole(member.id, 'viewer'), 201)
  assertStatus(await setRole(editor.id, 'editor'), 201)
  assertStatus(await admin.put('/pages/closed/a', '1'), 201)
  assertStatus(await admin.put('/pages/closed/a', '2', ANY), 200)
  assertStatus(await admin.patch('/pages/closed/a/metadata', { set: { x: 1, y: 2 } }), 200)
  assertStatus(await admin.post('/threads/closed/a', { body: 'Why?' }), 201)
  assertStatus(await admin.put('/pages/closed/gone', 'x'), 201)
  assertStatus(await admin.delete('/pages/closed/gone', ANY), 204)

  const plan = (json: object) => admin.patch('/spaces/closed?dryRun=true', json)
  const dry = assertStatus(await plan({ visibility: 'org', name: 'Open' }), 200).json
  assert.deepEqual(dry.opens, { people: 2, revisions: 2, metadataChanges: 2, comments: 1 })
  assert.deepEqual([dry.dryRun, dry.visibility, dry.name], [true, 'org', 'Open'])
  const kept = (await admin.get('/spaces/closed')).json
  assert.deepEqual([kept.visibility, kept.name, kept.opens], ['private', 'closed', undefined])
  assert.equal(assertStatus(await plan({ name: 'Open' }), 200).json.opens, null)
  assert.equal(assertStatus(await editor.client.get('/spaces/closed'), 200).json.opens, undefined)
  assertProblem(await editor.client.patch('/spaces/closed?dryRun=true', { visibility: 'org' }), 403, 'forbidden')
  assertProblem(
    await admin.call('PATCH', '/spaces/closed?dryRun=true', {
      json: { visibility: 'org' },
      headers: { 'if-match': '"stale"' },
    }),
    412,
    'precondition_failed',
  )
  assertStatus(await admin.patch('/spaces/closed', { visibility: 'org' }), 200)
  const back = assertStatus(await plan({ visibility: 'private' }), 200).json
  assert.equal(back.opens, null)
})
