import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus, type Client } from '../support/client.ts'
import { newPerson } from '../support/people.ts'
import { type Service, startService } from '../support/service.ts'

// Exports with history have the threads of pages and files, and the history of metadata: bundles of `formatVersion` 2.

let service: Service
let admin: Client
before(async () => {
  service = await startService()
  admin = service.admin
})
after(() => service[Symbol.asyncDispose]())

const post = async (client: Client, path: string, json: object) => assertStatus(await client.post(path, json), 201).json

interface Said {
  readonly body: string
  readonly author: { readonly name: string }
  readonly createdAt: string
  readonly editedAt: string | null
}

/** The threads of a page, without what an import makes anew. */
const read = async (space: string) =>
  (await admin.all(`/threads/${space}/plan`)).map(
    ({ quote, place, outdated, state, author, resolvedBy, comments }) => ({
      quote: quote?.exact,
      lines: place && [place.version, place.startLine],
      outdated,
      state,
      by: author.name.replace(' (imported)', ''),
      resolvedBy: resolvedBy?.name,
      comments: comments.map((comment: Said) => [
        comment.body,
        comment.author.name.replace(' (imported)', ''),
        comment.createdAt,
        comment.editedAt,
      ]),
    }),
  )

test('threads are in exports with history, and come back with their places, authors and times', async () => {
  const ada = await newPerson(admin, 'Ada')
  await admin.space('from')
  await admin.write('from/plan', '# Plan\n\nThe quick brown fox jumps over the lazy dog.\n\nGone soon.\n')
  const quoted = { body: 'Why?', quote: { exact: 'quick brown fox jumps' } }
  const { id } = await post(ada.client, '/threads/from/plan', quoted)
  await post(admin, `/threads/by-id/${id}/replies`, { body: 'Because.' })
  await post(admin, '/threads/from/plan', { body: 'Lost.', quote: { exact: 'Gone soon' } })
  const done = await post(admin, '/threads/from/plan', { body: 'Of the whole.' })
  assertStatus(await admin.post(`/threads/by-id/${done.id}/resolve`), 200)
  await admin.write('from/plan', '# Plan\n\nNew.\n\nThe quick brown fox jumps over the lazy dog.\n')
  await admin.write('from/other', 'x\n')
  const before = await read('from')
  assert.deepEqual(before[0]?.lines, [2, 5])
  const plain = assertStatus(await admin.get('/spaces/from/export'), 200).json
  assert.deepEqual([plain.formatVersion, plain.pages[1].threads], [1, undefined])
  const bundle = assertStatus(await admin.get('/spaces/from/export?history=true'), 200).json
  assert.deepEqual([bundle.formatVersion, bundle.pages[0].threads], [2, undefined])
  const archive = await fetch(`${admin.base}/spaces/from/export?history=true&format=zip`, {
    headers: { authorization: `Bearer ${admin.key}` },
  })
  const zip = Buffer.from(await archive.arrayBuffer())
  await admin.space('json')
  assertStatus(await admin.post('/spaces/json/import', bundle), 200)
  assert.deepEqual(await read('json'), before)
  await admin.space('zip')
  // The address has had a page: versions go on behind it, and places with them.
  await admin.write('zip/plan', 'Before.\n')
  assertStatus(await admin.delete('/pages/zip/plan?purge=true', { 'if-match': '*' }), 204)
  const headers = { 'content-type': 'application/zip' }
  assertStatus(await admin.call('POST', '/spaces/zip/import', { body: zip, headers }), 200)
  const shifted = await read('zip')
  assert.deepEqual(shifted[0]?.lines, [3, 5])
  assert.deepEqual(
    shifted.map(({ lines: _, ...thread }) => thread),
    before.map(({ lines: _, ...thread }) => thread),
  )
  // Who may not comment may not say so in the name of others: they are imported authors.
  const again = (await admin.all('/threads/json/plan'))[0]
  assert.notEqual(again.author.id, ada.id)
  const wrong = (place: object) => {
    const thread = { ...bundle.pages[1].threads[0], place: { ...bundle.pages[1].threads[0].place, ...place } }
    return { ...bundle, pages: [{ ...bundle.pages[1], path: 'wrong', threads: [thread] }] }
  }
  assertStatus(await admin.post('/spaces/json/import', wrong({ start: 1_000_000, end: 2_000_000 })), 200)
  assert.equal((await admin.all('/threads/json/wrong'))[0].outdated, true)
  assertProblem(await admin.post('/spaces/json/import', wrong({ start: -1 })), 400, 'invalid_bundle')
  assertProblem(await admin.post('/spaces/json/import', { ...bundle, formatVersion: 3 }), 400, 'invalid_bundle')
})

test('an export with history has every change of metadata and the threads of files, and imports bring them back', async () => {
  const ada = await newPerson(admin, 'Ada')
  await admin.space('whole', { defaultRole: 'editor' })
  const client = ada.client
  await admin.write('whole/plan', '# Plan\n')
  const patch = async (by: Client, json: object) =>
    assertStatus(await by.patch('/pages/whole/plan/metadata', json), 200)
  await patch(admin, { set: { status: 'draft', tags: ['a'] } })
  await patch(client, { set: { status: 'done' }, append: { tags: 'b' } })
  await patch(client, { set: { status: null, deep: { a: [null, 1] } } })
  await patch(admin, { set: { status: 'draft', deep: 1 }, appendUnique: { tags: ['b', 'c'] } })
  const upload = { body: 'png', headers: { 'content-type': 'image/png' } }
  assertStatus(await admin.call('PUT', '/files/whole/a.png', upload), 201)
  await post(client, '/threads/whole/a.png?resource=file', { body: 'Blurred.' })
  const changes = async (space: string) =>
    (await admin.all(`/pages/${space}/plan/metadata/history`)).map(({ actor, ...event }) => ({
      ...event,
      actor: actor.name.replace(' (imported)', ''),
    }))
  const before = await changes('whole')
  assert.equal(before.length, 9)
  const sayings = async (space: string) =>
    (await admin.all(`/threads/${space}/a.png?resource=file`)).flatMap(({ comments }) =>
      comments.map(({ body, author, createdAt }: Said) => [body, author.name.replace(' (imported)', ''), createdAt]),
    )
  const said = await sayings('whole')
  const bundle = assertStatus(await admin.get('/spaces/whole/export?history=true'), 200).json
  const archive = await fetch(`${admin.base}/spaces/whole/export?history=true&format=zip`, {
    headers: { authorization: `Bearer ${admin.key}` },
  })
  const zip = Buffer.from(await archive.arrayBuffer())
  for (const [space, upload] of [
    ['whole-json', { json: bundle }],
    ['whole-zip', { body: zip, headers: { 'content-type': 'application/zip' } }],
  ] as const) {
    await admin.space(space)
    assertStatus(await admin.call('POST', `/spaces/${space}/import`, upload), 200)
    assert.deepEqual(await changes(space), before)
    assert.deepEqual(await sayings(space), said)
    const again = assertStatus(await admin.get(`/spaces/${space}/export?history=true`), 200).json
    assert.deepEqual(again.pages, bundle.pages)
    // The metadata goes on from there.
    assertStatus(await admin.patch(`/pages/${space}/plan/metadata`, { set: { status: 'new' } }), 200)
    const [latest] = await changes(space)
    assert.deepEqual([latest?.previousValue, latest?.value], ['draft', 'new'])
  }
  const [page] = bundle.pages
  const import_ = (client: Client, more: object) =>
    client.post('/spaces/whole/import', { ...bundle, pages: [{ ...page, path: 'x', ...more }], files: [] })
  for (const metadataHistory of [
    page.metadataHistory.slice(1),
    page.metadataHistory.slice(0, 2),
    [...page.metadataHistory, { ...page.metadataHistory[0], createdAt: 'soon' }],
  ]) {
    assertProblem(await import_(admin, { metadataHistory }), 400, 'invalid_bundle')
  }
  // Only admins of a space write in the name of others.
  assertStatus(await import_(client, { revisions: undefined }), 403)
})
