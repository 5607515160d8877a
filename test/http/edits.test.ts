import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

const PAGE = '# Guide\n\nIntro.\n\n## Steps\n\n1. One\n\n## End\n\nBye.\n'
let service: Service
let count = 0
before(async () => {
  service = await startService({ SVC_MAX_BODY_BYTES: '2000' })
  await service.admin.space('docs')
})
after(() => service[Symbol.asyncDispose]())

async function newPage(): Promise<string> {
  const address = `/pages/docs/page-${++count}`
  assertStatus(await service.admin.put(address, PAGE), 201)
  return address
}

const edit = (address: string, edits: unknown, tag = '"1"', more: object = {}) =>
  service.admin.patch(address, { edits, ...more }, tag === '' ? {} : { 'if-match': tag })

test('edits are applied in order as one revision, and the response has the changed lines', async () => {
  const address = await newPage()
  const edits = [
    { op: 'replace', find: 'One', text: 'Two\n2. Three' },
    { op: 'insertBefore', heading: 'End', text: '## More\n\nText.' },
    { op: 'append', text: 'PS' },
    { op: 'appendToSection', heading: 'Steps', text: '3. Four' },
  ]
  const answer = assertStatus(await edit(address, edits, '"1"', { note: 'edited' }), 200)
  assert.equal(answer.headers.get('etag'), '"2"')
  assert.equal(answer.json.note, 'edited')
  assert.equal(answer.json.body, undefined)
  const body = '# Guide\n\nIntro.\n\n## Steps\n\n1. Two\n2. Three\n3. Four\n\n## More\n\nText.\n\n## End\n\nBye.\nPS'
  assert.equal((await service.admin.get(`${address}.md`)).text, body)
  assert.deepEqual(answer.json.changes, [
    { edit: 0, fromLine: 7, toLine: 8 },
    { edit: 1, fromLine: 11, toLine: 14 },
    { edit: 2, fromLine: 18, toLine: 18 },
    { edit: 3, fromLine: 9, toLine: 9 },
  ])
})

test('if one edit does not apply, nothing is changed', async () => {
  const address = await newPage()
  const answer = await edit(address, [
    { op: 'append', text: 'x' },
    { op: 'replace', find: 'absent', text: 'y' },
  ])
  assertProblem(answer, 409, 'edit_not_applicable')
  assert.deepEqual(
    answer.json.issues.map((issue: { path: string }) => issue.path),
    ['/edits/1/find'],
  )
  assert.equal((await service.admin.get(`${address}.md`)).text, PAGE)
  assert.equal((await service.admin.get(`${address}/versions`)).json.items.length, 1)
})

test('an edit needs If-Match, with the same results as a PUT', async () => {
  const address = await newPage()
  const edits = [{ op: 'append', text: 'x' }]
  assertProblem(await edit(address, edits, ''), 428, 'precondition_required')
  const stale = assertProblem(await edit(address, edits, '"7"'), 412, 'precondition_failed')
  assert.equal(stale.json.current.etag, '"1"')
  assertProblem(await edit('/pages/docs/never', edits, '"1"'), 404, 'not_found')
  assertStatus(await edit(address, edits, '*'), 200)
})

test('with If-Match: * all concurrent edits are applied', async () => {
  const address = await newPage()
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => edit(address, [{ op: 'append', text: `line ${n}` }], '*')),
  )
  for (const answer of answers) assertStatus(answer, 200)
  const { text } = await service.admin.get(`${address}.md`)
  for (let n = 0; n < 20; n++) assert.ok(text.split('\n').includes(`line ${n}`))
})

test('malformed edits are 400 with the location of each issue', async () => {
  const address = await newPage()
  for (const edits of [
    [],
    [{ op: 'remove' }],
    [{ op: 'append' }],
    [{ op: 'append', text: 1 }],
    [{ op: 'append', text: 'x', find: 'y' }],
    [{ op: 'replace', find: '', text: 'x' }],
    [{ op: 'replaceSection', text: 'x' }],
    'append',
  ]) {
    const answer = assertProblem(await edit(address, edits), 400, 'invalid_request')
    assert.match(answer.json.issues[0].path, /^\/edits/)
  }
  assertProblem(await edit(address, [{ op: 'append', text: 'a\0' }]), 400, 'invalid_body')
  assertProblem(await edit(address, [{ op: 'append', text: 'x'.repeat(3000) }]), 413, 'payload_too_large')
})
