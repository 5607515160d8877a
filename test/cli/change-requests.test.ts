import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'
import { runCommand } from '../support/terminal.ts'

let service: Service
let folder: string
before(async () => {
  service = await startService()
  folder = mkdtempSync(join(tmpdir(), 'recto-cr-'))
})
after(async () => {
  rmSync(folder, { recursive: true, force: true })
  await service[Symbol.asyncDispose]()
})

async function done(...words: readonly string[]): Promise<string> {
  const env = { RECTO_URL: service.app.address, RECTO_API_KEY: service.admin.key ?? '' }
  const { code, out, err } = await runCommand(words, env)
  assert.equal(code, 0, `${words.join(' ')}: ${err}`)
  return out
}

function file(name: string, text: string): string {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

test('changes are proposed, shown, applied by git and merged', async () => {
  const { admin } = service
  await admin.space('docs')
  const pages = { start: 'one\ntwo\nthree', 'guide/größe': '# Size\n\nlarge\n', gone: 'gone\n' }
  for (const [path, body] of Object.entries(pages)) {
    assertStatus(await admin.put(`/pages/docs/${encodeURIComponent(path)}`, body), 201)
    file(`${path}.md`, body)
  }
  const after = { start: 'one\nTWO\nthree\nfour', 'guide/größe': '# Size\n\nsmall', new: 'new\n' }
  const text = file('../recto-cr-text', after.start)
  const said = await done('put', 'docs/start', text, '--version', '1', '--change-request', 'Better words')
  assert.match(said, /Proposed docs\/start in change request 1: http/)
  await done(
    'put',
    'docs/guide/größe',
    file('../recto-cr-text', after['guide/größe']),
    '--version',
    '1',
    '--change-request',
    '1',
  )
  await done('put', 'docs/new', file('../recto-cr-text', after.new), '--change-request', '1')
  assertStatus(await admin.delete('/pages/docs/gone?changeRequest=1', { 'if-match': '"1"' }), 202)
  rmSync(text)
  assert.match(await done('cr', 'ls', 'docs', '--state', 'open'), /docs 1 +open +Better words/)
  assert.match(await done('cr', 'ls', '--author', 'me'), /Better words/)
  assert.match(await done('cr', 'show', 'docs', '1'), /Better words \(open\)[\s\S]*deleted +gone[\s\S]*created +new/)
  assert.match(await done('cr', 'diff', 'docs', '1', 'start'), /-two\n\+TWO/)
  const patch = file('1.patch', await done('cr', 'show', 'docs', '1', '--patch'))
  execFileSync('git', ['init', '-q'], { cwd: folder })
  execFileSync('git', ['apply', patch], { cwd: folder })
  for (const [path, body] of Object.entries(after)) assert.equal(readFileSync(join(folder, `${path}.md`), 'utf8'), body)
  assert.throws(() => readFileSync(join(folder, 'gone.md')))
  assert.match(await done('cr', 'merge', 'docs', '1'), /Merged 4 pages; the change request is merged\./)
  for (const [path, body] of Object.entries(after)) {
    const { text } = await admin.get(`/pages/docs/${encodeURIComponent(path)}`, { accept: 'text/markdown' })
    assert.equal(text, body)
  }
  assertStatus(await admin.post('/spaces/docs/change-requests', { title: 'Nothing' }), 201)
  assert.match(await done('cr', 'close', 'docs', '2'), /Closed the change request docs 2/)
})
