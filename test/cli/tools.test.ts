import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { assertStatus } from '../support/client.ts'
import { until } from '../support/embedded.ts'
import { type Service, startService } from '../support/service.ts'
import { runCommand } from '../support/terminal.ts'

let service: Service
before(async () => {
  service = await startService()
  await service.admin.space('docs')
})
after(() => service[Symbol.asyncDispose]())

const run = (words: readonly string[], { input = '', ...env }: Record<string, string> = {}) =>
  runCommand(words, { RECTO_URL: service.app.address, RECTO_API_KEY: service.admin.key ?? '', ...env }, input)

async function done(...words: readonly string[]): Promise<string> {
  const { code, out, err } = await run(words)
  assert.equal(code, 0, `${words.join(' ')}: ${err}`)
  return out
}

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'))
  assert.equal(await done('--version'), `${version}\n`)
})

test('api sends any request, with a body and headers, and prints the response', async () => {
  const made = JSON.parse(await done('api', 'PUT', '/pages/docs/a', '-d', '# A\n', '-H', 'Content-Type: text/markdown'))
  assert.deepEqual([made.path, made.version], ['a', 1])
  assert.equal(await done('api', 'GET', '/pages/docs/a', '-H', 'Accept: text/markdown'), '# A\n')
  assert.equal(JSON.parse(await done('api', '/pages/docs/a')).body, '# A\n')
  assert.equal(JSON.parse(await done('api', 'spaces', '-d', '{"slug":"posted","name":"P"}')).slug, 'posted')
  for (const words of [['api'], ['api', 'GETS', '/me'], ['api', 'GET', '/me', 'x'], ['api', 'GET', '/me', '-d', 'x']]) {
    assert.equal((await run(words)).code, 64, words.join(' '))
  }
  const patched = await run(['api', 'PATCH', 'spaces/docs', '-d', '@-'], { input: '{"name":"All"}' })
  assert.equal(JSON.parse(patched.out).name, 'All', patched.err)
  assert.equal(await done('api', 'DELETE', '/pages/docs/a', '-H', 'If-Match: *'), '')
  const gone = await run(['api', 'GET', '/pages/docs/a'])
  assert.deepEqual([gone.code, gone.out], [3, ''])
  assert.equal((await run(['api', 'GET', '/me', '-H', 'no header'])).code, 64)
})

test('--jq prints the results of a filter, and implies --json', async () => {
  await done('spaces', 'create', 'jq', '--name', 'J "Q"')
  assert.equal(await done('spaces', 'show', 'jq', '--jq', '.slug, (.name | length)'), 'jq\n5\n')
  assert.equal(await done('api', 'GET', '/spaces', '--jq', '[.items[].slug] | sort | first'), 'docs\n')
  const wrong = await run(['spaces', 'list', '--jq', '.['])
  assert.equal(wrong.code, 64)
  assert.match(wrong.err, /--jq/)
})

test('with --json an error is one line of JSON with code and exit code', async () => {
  for (const [words, code, exitCode] of [
    [['get', 'docs/none', '--json'], 'not_found', 3],
    [['spaces', 'create', 'docs', '--json'], 'slug_taken', 4],
    [['ls', 'docs', '--limit', 'x', '--json'], 'usage', 64],
    [['ls', '--json', '--wrong'], 'usage', 64],
    [['spaces', 'show', 'none', '--jq', '.slug'], 'not_found', 3],
    [['api', '/spaces/none', '--json'], 'not_found', 3],
    [['nothing', '--json'], 'usage', 64],
    [['spaces', '--json'], 'usage', 64],
  ] as const) {
    const ran = await run(words)
    const error = JSON.parse(ran.err)
    assert.deepEqual([ran.out, ran.code, error.code, error.exitCode], ['', exitCode, code, exitCode])
    assert.ok(error.message)
  }
  const away = await run(['whoami', '--json'], { RECTO_URL: 'http://127.0.0.1:1' })
  assert.equal(JSON.parse(away.err).code, 'no_connection')
})

test('log -p and compare show what revisions changed', async () => {
  const page = 'docs/log'
  for (const [index, body] of ['one\ntwo\n', 'one\n2\n', 'one\n2\nthree\n'].entries()) {
    const version = index === 0 ? [] : ['--version', String(index)]
    await run(['put', page, '-m', `note ${index + 1}`, ...version], { input: body })
  }
  assert.match(await done('log', page), /^VERSION .*\n +3 .*note 3\n +2 /)
  const patches = await done('log', page, '-p', '--limit', '2')
  assert.match(patches, /^version 3 .*note 3\n--- docs\/log version 2\n\+\+\+ docs\/log version 3\n@@ -1,2 \+1,3 @@/)
  assert.match(patches, /\n-two\n\+2\n/)
  assert.match(await done('log', page, '-p'), /--- \/dev\/null\n\+\+\+ docs\/log version 1\n@@ -0,0 \+1,2 @@\n\+one\n/)
  assert.match(await done('compare', page, '1'), /-two\n\+2\n\+three\n$/)
  assert.equal(await done('compare', page, '2', '2'), '')
  assert.equal((await run(['compare', page, '9'])).code, 3)
  assert.equal((await run(['log', page, '-p', '--json'])).code, 64)
})

test('open passes the URL of a screen to the browser', async () => {
  const base = service.app.address
  assert.equal(await done('open', '--print'), `${base}/\n`)
  assert.equal(await done('open', 'docs', '--print'), `${base}/open/docs\n`)
  assert.equal(await done('open', 'docs/a b/c', '--print'), `${base}/pages/docs/a%20b/c\n`)
  const folder = mkdtempSync(join(tmpdir(), 'recto-browser-'))
  const [browser, opened] = [join(folder, 'browser'), join(folder, 'opened')]
  writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > '${opened}.part' && mv '${opened}.part' '${opened}'\n`)
  chmodSync(browser, 0o755)
  const { code, err } = await run(['open', 'docs/a'], { BROWSER: browser })
  assert.deepEqual([code, err], [0, `Opening ${base}/pages/docs/a\n`])
  await until(() => existsSync(opened))
  assert.equal(readFileSync(opened, 'utf8'), `${base}/pages/docs/a`)
  rmSync(folder, { recursive: true })
})

test('changes name files, and both paths of what was moved', async () => {
  assertStatus(await service.admin.put('/files/docs/fed.txt', 'x', { 'if-none-match': '*' }), 201)
  const to = { path: 'moved.txt' }
  assertStatus(await service.admin.post('/files/docs/fed.txt/move', { to }, { 'if-match': '*' }), 200)
  await until(async () => (await done('changes', '--space', 'docs')).includes('moved.txt'))
  const out = await done('changes', '--space', 'docs')
  assert.match(out, /file\.created {2}docs\/fed\.txt, version 1 {2}by Admin \(human\)\n/)
  assert.match(out, /docs\/fed\.txt -> docs\/moved\.txt, version 1 {2}by Admin \(human\)\n/)
})

test('an unknown option is named', async () => {
  const { code, err } = await run(['ls', '--nope'])
  assert.equal(code, 64)
  assert.match(err, /^recto: unknown option --nope\nusage: /)
})

test('audit lists events by action, actor and time', async () => {
  const created = JSON.parse(await done('keys', 'create', 'for the audit', '--scope', 'read', '--json'))
  const [event] = JSON.parse(await done('audit', '--action', 'api_key.created', '--limit', '1', '--json'))
  assert.deepEqual([event.action, event.target.id], ['api_key.created', created.apiKey.id])
  assert.match(await done('audit', '--action', 'api_key.created'), /^CREATED +ACTION .*\n.* api_key\.created +Admin +/)
  assert.equal(await done('audit', '--until', '2020-01-01T00:00:00Z'), '')
})
