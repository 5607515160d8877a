import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
before(async () => {
  service = await startService()
  await service.admin.space('docs')
  await service.admin.put('/pages/docs/a', '# A')
})
after(() => service[Symbol.asyncDispose]())

interface Resource {
  readonly name: string
  /** Creates one and returns its URL. */
  create(): Promise<string>
  /** A change that differs from every other one. */
  readonly change: (text: string) => object
  readonly canBeDeleted?: boolean
  readonly list?: string
}

let created = 0
const RESOURCES: readonly Resource[] = [
  {
    name: 'metadata',
    create: async () => {
      const path = `/pages/docs/p${++created}`
      assertStatus(await service.admin.put(path, '# P'), 201)
      return `${path}/metadata`
    },
    change: (text) => ({ set: { status: text } }),
  },
  {
    name: 'space',
    create: async () => `/spaces/${await service.admin.space(`s${++created}`)}`,
    change: (text) => ({ description: text }),
    canBeDeleted: true,
    list: '/spaces',
  },
  {
    name: 'webhook',
    create: async () => {
      const { json } = assertStatus(
        await service.admin.post('/admin/webhooks', { url: 'https://example.org/', events: ['*'] }),
        201,
      )
      return `/admin/webhooks/${json.webhook.id}`
    },
    change: (text) => ({ description: text }),
    canBeDeleted: true,
    list: '/admin/webhooks',
  },
  {
    name: 'principal',
    create: async () => `/admin/principals/${(await newPerson(service.admin, `P${++created}`)).id}`,
    change: (text) => ({ name: text }),
    list: '/admin/principals',
  },
  {
    name: 'group',
    create: async () => {
      const { json } = assertStatus(await service.admin.post('/admin/groups', { name: `G${++created}` }), 201)
      return `/admin/groups/${json.id}`
    },
    change: (text) => ({ description: text }),
    canBeDeleted: true,
    list: '/admin/groups',
  },
]

const CREATIONS: readonly (readonly [list: string, resource: object])[] = [
  ['/spaces', { slug: 'created', name: 'Created' }],
  ['/admin/webhooks', { url: 'https://example.org/', events: ['*'] }],
  ['/admin/principals', { name: 'Created', kind: 'agent' }],
  ['/admin/groups', { name: 'Created' }],
]

const tagOf = async (url: string) => assertStatus(await service.admin.get(url), 200).headers.get('etag') ?? ''

for (const { name, create, change, canBeDeleted, list } of RESOURCES) {
  test(`a ${name} has an ETag, which changes with it and is answered with 304`, async () => {
    const url = await create()
    const etag = await tagOf(url)
    assert.match(etag, /^"[\w-]{22}"$/)
    const same = await service.admin.get(url, { 'if-none-match': etag })
    assert.deepEqual([same.status, same.text, same.headers.get('etag')], [304, '', etag])
    const changed = assertStatus(await service.admin.patch(url, change('one')), 200)
    assert.notEqual(changed.headers.get('etag'), etag)
    assert.equal(changed.headers.get('etag'), await tagOf(url))
    assertStatus(await service.admin.get(url, { 'if-none-match': etag }), 200)
  })

  test(`a change of a ${name} without a difference keeps its ETag and is not audited`, async () => {
    const url = await create()
    const entries = async () => (await service.admin.get('/admin/audit?limit=1')).json.items[0].id
    const first = assertStatus(await service.admin.patch(url, change('one')), 200)
    const last = await entries()
    const again = assertStatus(await service.admin.patch(url, change('one')), 200)
    assert.equal(again.headers.get('etag'), first.headers.get('etag'))
    assert.equal(again.text, first.text)
    assert.equal(await entries(), last)
  })

  test(`If-Match limits a change of a ${name} to the state that was read`, async () => {
    const url = await create()
    const etag = await tagOf(url)
    const first = assertStatus(await service.admin.patch(url, change('one'), { 'if-match': etag }), 200)
    for (const stale of [etag, '"1"', '']) {
      const { json } = assertProblem(
        await service.admin.patch(url, change('two'), { 'if-match': stale }),
        412,
        'precondition_failed',
      )
      assert.equal(json.current.etag, first.headers.get('etag'))
    }
    assert.equal((await service.admin.get(url)).text, first.text)
    assertStatus(await service.admin.patch(url, change('three'), { 'if-match': '*' }), 200)
    assertStatus(await service.admin.patch(url, change('four')), 200)
  })

  test(`of several changes of a ${name} with one ETag exactly one succeeds`, async () => {
    const url = await create()
    const headers = { 'if-match': await tagOf(url) }
    const answers = await Promise.all(
      [1, 2, 3, 4].map((number) => service.admin.patch(url, change(`${number}`), headers)),
    )
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 412, 412, 412])
  })

  if (canBeDeleted) {
    test(`If-Match limits the deletion of a ${name}`, async () => {
      const url = await create()
      const etag = await tagOf(url)
      assertStatus(await service.admin.patch(url, change('one')), 200)
      assertProblem(await service.admin.delete(url, { 'if-match': etag }), 412, 'precondition_failed')
      assertStatus(await service.admin.delete(url, { 'if-match': await tagOf(url) }), 204)
      assertStatus(await service.admin.get(url), 404)
    })
  }

  if (list !== undefined) {
    test(`a list with a ${name} that did not change is answered with 304, also in parts`, async () => {
      const url = await create()
      await create()
      for (const part of [list, `${list}?limit=1`]) {
        const etag = await tagOf(part)
        assertStatus(await service.admin.get(part, { 'if-none-match': etag }), 304)
      }
      const etag = await tagOf(list)
      assertStatus(await service.admin.patch(url, change(`changed-${name}`)), 200)
      assertStatus(await service.admin.get(list, { 'if-none-match': etag }), 200)
    })
  }
}

for (const [list, resource] of CREATIONS) {
  test(`what a POST to ${list} creates has its ETag in the response`, async () => {
    const { headers } = assertStatus(await service.admin.post(list, resource), 201)
    const url = new URL(headers.get('location') ?? '').pathname
    assert.equal(headers.get('etag'), await tagOf(url))
  })
}

test('lists of revisions, members, groups of a space and space templates are answered with 304 until they change', async () => {
  const { admin } = service
  const ann = await newPerson(admin, 'Ann')
  const group = assertStatus(await admin.post('/admin/groups', { name: 'Listed' }), 201).json
  await admin.space('lists')
  assertStatus(await admin.put('/pages/lists/a', '# A'), 201)
  const role = { json: { role: 'viewer' } }
  for (const [list, change] of [
    ['/pages/lists/a/versions', () => admin.put('/pages/lists/a', '# B', { 'if-match': '*' })],
    ['/spaces/lists/members', () => admin.call('PUT', `/spaces/lists/members/${ann.id}`, role)],
    ['/spaces/lists/groups', () => admin.call('PUT', `/spaces/lists/groups/${group.id}`, role)],
    ['/space-templates?source=org', () => admin.post('/space-templates/org', { space: 'lists' })],
  ] as const) {
    const etag = await tagOf(list)
    assertStatus(await admin.get(list, { 'if-none-match': etag }), 304)
    assert.ok((await change()).status < 300, list)
    assertStatus(await admin.get(list, { 'if-none-match': etag }), 200)
  }
})
