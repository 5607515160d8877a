import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClient } from '@recto/client/client.ts'
import { assertProblem, assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'
import { runCommand } from '../support/terminal.ts'
import { syncFolder } from '../sync/folder.ts'

const TOO_LARGE = '9007199254740993'
const page = '/pages/docs/page'
let service: Service

before(async () => {
  service = await startService()
  await service.admin.space('docs')
  assertStatus(await service.admin.put(page, '# Page'), 201)
})
after(() => service[Symbol.asyncDispose]())

/** Sends JSON as it is written: JSON.stringify would round the numbers of the test. */
const send = (method: string, path: string, body: string) =>
  service.admin.call(method, path, { body, headers: { 'content-type': 'application/json' } })

test('a patch of metadata with an integer that would lose digits is 400 and changes nothing', async () => {
  assertStatus(await service.admin.patch(`${page}/metadata`, { set: { ids: [1] } }), 200)
  const before = (await service.admin.get(`${page}/metadata`)).text
  for (const op of ['set', 'append', 'appendUnique']) {
    for (const value of [TOO_LARGE, `-${TOO_LARGE}`, `[2,{"deep":${TOO_LARGE}}]`, '1152921504606846976']) {
      const rejected = await send('PATCH', `${page}/metadata`, `{"${op}":{"ids":${value}}}`)
      assertProblem(rejected, 400, 'invalid_json')
      assert.match(rejected.json.issues[0].path, new RegExp(`^/${op}/ids`))
      assert.match(rejected.json.detail, /2\^53/)
    }
  }
  assert.equal((await service.admin.get(`${page}/metadata`)).text, before)
})

test('integers within a double, and other numbers, are stored exactly', async () => {
  for (const value of ['9007199254740991', '-9007199254740992', '1e21', '1.2345678901234567e+30', '0.1']) {
    const answer = await send('PATCH', `${page}/metadata`, `{"set":{"id":${value}}}`)
    assertStatus(answer, 200)
    assert.equal(answer.json.metadata.id, Number(value))
  }
})

test('a new page with such metadata is not created', async () => {
  const body = `{"body":"# New","metadata":{"id":${TOO_LARGE}}}`
  assertProblem(await send('PUT', '/pages/docs/new', body), 400, 'invalid_json')
  assertProblem(await service.admin.page('/pages/docs/new'), 404, 'not_found')
})

test('an import with such metadata is 400 and changes nothing', async () => {
  const bundle = `{"format":"page-bundle","formatVersion":1,"pages":[{"path":"one","body":""},
    {"path":"two","body":"","metadata":{"id":${TOO_LARGE}}}]}`
  const rejected = assertProblem(await send('POST', '/spaces/docs/import', bundle), 400, 'invalid_bundle')
  assert.match(rejected.text, /2\^53/)
  assertProblem(await service.admin.page('/pages/docs/one'), 404, 'not_found')
})

test('a filter with such an integer is 400, so that it cannot find its neighbour', async () => {
  const filters = encodeURIComponent(`[{"key":"id","op":"eq","value":${TOO_LARGE}}]`)
  assertProblem(await service.admin.get(`/search/metadata?filters=${filters}`), 400, 'invalid_request')
})

test('an MCP call with such an integer is an error', async () => {
  const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"context_patch_metadata",
    "arguments":{"space":"docs","path":"page","set":{"id":${TOO_LARGE}}}}}`
  const answer = await service.admin.call('POST', '/mcp', {
    body: call,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  })
  assertStatus(answer, 400)
  assert.match(answer.json.error.message, /2\^53/)
})

test('front matter keeps every digit, as text, also as the default metadata of a template', async () => {
  const source = `---\nsmall: 12\nhex: 0x20\nid: ${TOO_LARGE}\nmetadataDefaults:\n  id: ${TOO_LARGE}\n---\n# T\n`
  assertStatus(await service.admin.put('/pages/docs/templates/t', source), 201)
  const { json } = await service.admin.page('/pages/docs/templates/t')
  assert.deepEqual(json.frontmatter, { small: 12, hex: 32, id: TOO_LARGE, metadataDefaults: { id: TOO_LARGE } })
  assertStatus(await send('PUT', '/pages/docs/made', '{"template":"docs/t"}'), 201)
  assert.deepEqual((await service.admin.get('/pages/docs/made/metadata')).json.metadata, { id: TOO_LARGE })
})

/** Numbers that a double changes, and the words that say so. */
const INEXACT: readonly (readonly [literal: string, reason: RegExp])[] = [
  ['1546130668394913822', /2\^53/],
  ['1546130668394913822e0', /2\^53/],
  ['1e400', /too large/],
  ['-1e400', /too large/],
  ['1e-400', /too small/],
  ['0.12345678901234567891', /more digits/],
]

test('no door stores a number that differs from the one that was sent: it is refused with the reason and the place', async () => {
  const env = { RECTO_URL: service.admin.base, RECTO_API_KEY: service.admin.key ?? '' }
  const readMetadata = async () => (await service.admin.get(`${page}/metadata`)).text
  assertStatus(await service.admin.patch(`${page}/metadata`, { set: { id: 1 } }), 200)
  const before = await readMetadata()
  for (const [literal, reason] of INEXACT) {
    const patch = await send('PATCH', `${page}/metadata`, `{"set":{"id":${literal}}}`)
    assert.match(assertProblem(patch, 400, 'invalid_json').json.detail, reason)
    assert.equal(patch.json.issues[0].path, '/set/id')
    const filters = encodeURIComponent(`[{"key":"id","op":"eq","value":${literal}}]`)
    const query = assertProblem(await service.admin.get(`/search/metadata?filters=${filters}`), 400, 'invalid_request')
    assert.match(query.json.issues[0].message, reason)
    const bundle = `{"format":"page-bundle","formatVersion":1,"pages":[{"path":"one","body":"","metadata":{"id":${literal}}}]}`
    assert.match(assertProblem(await send('POST', '/spaces/docs/import', bundle), 400, 'invalid_bundle').text, reason)
    const command = await runCommand(['meta', 'set', 'docs/page', `id=${literal}`], env)
    assert.equal(command.code, 64)
    assert.match(command.err, reason)
  }
  assert.equal(await readMetadata(), before)
})

test('a folder refuses such numbers in metadata.json and in front matter, and synchronises other files', async () => {
  await service.admin.space('folder')
  for (const path of ['a', 'b']) assertStatus(await service.admin.put(`/pages/folder/${path}`, `# ${path}`), 201)
  assertStatus(await service.admin.patch('/pages/folder/a/metadata', { set: { id: 1 } }), 200)
  for (const [literal, reason] of INEXACT) {
    for (const where of ['file', 'front-matter']) {
      using folder = syncFolder(service)
      assert.equal((await folder.clone('folder', '--metadata', where)).code, 0)
      const file = where === 'file' ? '.recto/metadata.json' : 'a.md'
      folder.write(
        file,
        folder.read(file).replace(/"?id"?: 1/, (member) => member.replace('1', literal)),
      )
      const { code, out, err } = await folder.run('push')
      assert.equal(code, where === 'file' ? 2 : 1)
      assert.match(out + err, reason)
      assert.match(out + err, where === 'file' ? /line 3, column 11 \(\/a\/id\)/ : /a\.md: .* in line 3/)
    }
  }
  assert.deepEqual((await service.admin.get('/pages/folder/a/metadata')).json.metadata, { id: 1 })
})

test('front matter keeps the digits of such numbers as text, also when an import takes it as metadata', async () => {
  const source = `---\n${INEXACT.map(([literal], index) => `n${index}: ${literal}\n`).join('')}plus: +1.50\nnone: .inf\n---\n`
  const expected = Object.fromEntries(INEXACT.map(([literal], index) => [`n${index}`, literal]))
  assertStatus(await service.admin.put('/pages/docs/numbers', source), 201)
  const { frontmatter } = (await service.admin.page('/pages/docs/numbers')).json
  assert.deepEqual(frontmatter, { ...expected, plus: 1.5, none: null })
})

test('the client refuses what JSON has no number for, which would delete the key', async () => {
  const client = createClient({ url: service.admin.base, key: service.admin.key ?? '' })
  const before = (await service.admin.get(`${page}/metadata`)).text
  for (const id of [Infinity, -Infinity, Number.NaN]) {
    await assert.rejects(client.metadata.patch('docs', 'page', { set: { id } }), /`id` is .*no number of JSON/)
  }
  assert.equal((await service.admin.get(`${page}/metadata`)).text, before)
})
