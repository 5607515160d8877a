import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { newKey, newPerson, type Person } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'
import { runCommand } from '../support/terminal.ts'

let service: Service
let boss: Person
before(async () => {
  service = await startService()
  boss = await newPerson(service.admin, 'Boss')
  assertStatus(await boss.client.post('/spaces', { slug: 'docs', visibility: 'private' }), 201)
})
after(() => service[Symbol.asyncDispose]())

async function person(name: string, email?: string): Promise<string> {
  return assertStatus(await service.admin.post('/admin/principals', { name, kind: 'human', email }), 201).json.id
}

const find = (name: string, client: Client = boss.client, more = '') =>
  client.get(`/spaces/docs/candidates?name=${encodeURIComponent(name)}${more}`)
const named = async (name: string, client?: Client) =>
  assertStatus(await find(name, client), 200).json.items as {
    principal: { id: string; name: string }
    role: string | null
    match: string
  }[]
const run = (...words: string[]) =>
  runCommand(['spaces', ...words], { RECTO_URL: service.app.address, RECTO_API_KEY: boss.key })

test('an admin of a space finds people by part of the name, and by the whole address', async () => {
  const ada = await person('Ada Lovelace', 'ada@example.org')
  const [byName, ...others] = await named('a lOve')
  assert.deepEqual(byName, { principal: { id: ada, name: 'Ada Lovelace', kind: 'human' }, role: null, match: 'name' })
  assert.deepEqual(others, [])
  assert.deepEqual(
    (await named(' ADA@example.org ')).map(({ principal, match }) => [principal.id, match]),
    [[ada, 'email']],
  )
  for (const part of ['ada@example', 'example.org', '@', '%', '_']) assert.deepEqual(await named(part), [], part)
  assertStatus(await boss.client.call('PUT', `/spaces/docs/members/${ada}`, { json: { role: 'viewer' } }), 201)
  assert.equal((await named('Ada Love'))[0]?.role, 'viewer')
  assertStatus(await service.admin.patch(`/admin/principals/${ada}`, { disabled: true }), 200)
  assert.deepEqual(await named('ada@example.org'), [])
  assert.deepEqual(await named('Ada Love'), [])
})

test('candidates are for admins of the space, and addresses for credentials without limits', async () => {
  const eve = await person('Eve', 'eve@example.org')
  const reader = await newPerson(service.admin, 'Reader')
  const byBoss = { json: { role: 'viewer' } }
  assertProblem(await find('eve', reader.client), 404, 'not_found')
  assertStatus(await boss.client.call('PUT', `/spaces/docs/members/${reader.id}`, byBoss), 201)
  assertProblem(await find('eve', reader.client), 403, 'forbidden')
  const limited = await newKey(service.admin, boss.id, { spaces: ['docs'] })
  assert.deepEqual(await named('eve@example.org', service.as(limited.secret)), [])
  assert.deepEqual(
    (await named('eve', service.as(limited.secret))).map(({ principal }) => principal.id),
    [eve],
  )
  assertProblem(await find(''), 400, 'invalid_request')
})

test('the list of candidates is in the order of names, and continues with a cursor', async () => {
  const names = ['Mo Zed', 'mo Abe', 'Mo abe', 'MO Kay', 'Mo Kay']
  for (const name of names) await person(name)
  const all = (await named('mo ')).map(({ principal }) => principal.id)
  assert.equal(all.length, 5)
  const pages: string[] = []
  let cursor = ''
  do {
    const { items, nextCursor } = assertStatus(await find('mo ', boss.client, `&limit=2${cursor}`), 200).json
    pages.push(...items.map(({ principal }: { principal: { id: string } }) => principal.id))
    cursor = nextCursor === null ? '' : `&cursor=${nextCursor}`
  } while (cursor !== '')
  assert.deepEqual(pages, all)
})

test('recto spaces add-member takes a whole name, an address or an id, and lists those who share a name', async () => {
  const grace = await person('Grace Hopper', 'grace@example.org')
  const added = await run('add-member', 'docs', 'grace HOPPER', 'editor')
  assert.match(added.out, /Grace Hopper is now editor of docs/)
  assert.match((await run('add-member', 'docs', 'Grace@example.org', 'viewer')).out, /is now viewer/)
  assert.match((await run('add-member', 'docs', grace, 'editor')).out, /is now editor/)

  const part = await run('add-member', 'docs', 'Grace', 'editor')
  assert.notEqual(part.code, 0)
  assert.match(
    part.err,
    new RegExp(`Grace is nobody’s whole name or address: .*\n  ${grace}  Grace Hopper \\(human\\)`),
  )
  const twin = await person('Grace Hopper')
  const several = await run('add-member', 'docs', 'Grace Hopper', 'editor')
  assert.notEqual(several.code, 0)
  assert.match(several.err, new RegExp(`is the name of several: give the id(.|\n)*${grace}(.|\n)*${twin}`))
  assert.match((await run('add-member', 'docs', 'Nobody Here', 'editor')).err, /There is nobody called Nobody Here/)

  // Of two with one name only one is a member.
  assert.match((await run('remove-member', 'docs', 'Grace Hopper')).out, /Removed Grace Hopper/)
  assert.equal(
    (await named('Grace Hopper')).every(({ role }) => role === null),
    true,
  )
})

test('a person who is called like the address of somebody else is not taken for them', async () => {
  await person('ceo@example.org')
  const { code, err } = await run('add-member', 'docs', 'ceo@example.org', 'admin')
  assert.notEqual(code, 0)
  assert.match(err, /nobody’s whole name or address/)
  const ceo = await person('Chief', 'ceo@example.org')
  assert.match((await run('add-member', 'docs', 'ceo@example.org', 'viewer')).out, /Chief is now viewer/)
  assert.equal((await named('ceo@example.org')).find(({ principal }) => principal.id === ceo)?.role, 'viewer')
})
