import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertProblem, assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'

let service: Service
before(async () => {
  service = await startService({ SVC_MARKDOWN_CPU_MS: '1500' })
  await service.admin.space('docs')
})
after(() => service[Symbol.asyncDispose]())

const edit = (address: string, edits: readonly object[]) =>
  service.admin.patch(address, { edits }, { 'if-match': '"1"' })

async function assertUnchanged(address: string, body: string): Promise<void> {
  const page = (await service.admin.page(address)).json
  assert.equal(page.version, 1)
  assert.ok(page.body === body)
}

const PLACES = 'a\n'.repeat(10_000)
const swap = (find: string, text: string) => ({ op: 'replace', find, text, expectedCount: 10_000 })

test('the edits of one request change at most 10,000 places', async () => {
  const address = '/pages/docs/places'
  assertStatus(await service.admin.put(address, PLACES), 201)
  for (const more of [{ op: 'append', text: 'x' }, swap('b', 'c')]) {
    const answer = assertProblem(await edit(address, [swap('a', 'b'), more]), 409, 'edit_not_applicable')
    assert.deepEqual(
      answer.json.issues.map((issue: { path: string }) => issue.path),
      ['/edits/1'],
    )
  }
  await assertUnchanged(address, PLACES)
  const answer = assertStatus(await edit(address, [swap('a', 'b')]), 200)
  assert.equal(answer.json.changes.length, 10_000)
})

test('edits that make the body longer than a page may be are payload_too_large', async () => {
  const address = '/pages/docs/long'
  assertStatus(await service.admin.put(address, PLACES), 201)
  const edits = [swap('a', 'b'.repeat(200))]
  assertProblem(await edit(address, edits), 413, 'payload_too_large')
  await assertUnchanged(address, PLACES)
})

test('edits at headings of a page of a million lines are applied, or 422 when they take too much processor time', async () => {
  const address = '/pages/docs/lines'
  const body = `# A\n${'\n'.repeat(1_000_000)}end\n`
  assertStatus(await service.admin.put(address, body), 201)
  const insert = (count: number) =>
    Array.from({ length: count }, () => ({ op: 'insertAfter', heading: 'A', text: 'more' }))
  const answer = assertProblem(await edit(address, insert(100)), 422, 'markdown_too_complex')
  assert.equal(answer.json.issues[0].path, '/edits')
  await assertUnchanged(address, body)
  assert.equal(assertStatus(await edit(address, insert(2)), 200).json.changes.length, 2)
})
