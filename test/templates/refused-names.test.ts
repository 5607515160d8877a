import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { writeZip, type ZipFile } from '@recto/lib/zip/zip-writer.ts'
import { assertStatus } from '../support/client.ts'
import { type Service, startService } from '../support/service.ts'
import { runCommand } from '../support/terminal.ts'

let service: Service
before(async () => {
  service = await startService()
})
after(() => service[Symbol.asyncDispose]())

test('a file of an archive whose name no page can have is named, and the others are imported', async () => {
  await service.admin.space('docs')
  const refused = ['trail .md', ' lead.md', 'folder /a.md', 'tab\tbed.md', `${'x'.repeat(256)}.md`, ' pic.png']
  const names = [...refused, 'a.md', 'b.png']
  async function* members(): AsyncGenerator<ZipFile> {
    for (const name of names) yield { name, modified: new Date(0), content: Buffer.from('text') }
  }
  const archive = await buffer(writeZip(members()))
  const answer = await service.admin.call('POST', '/spaces/docs/import', {
    body: archive,
    headers: { 'content-type': 'application/zip' },
  })
  const { created, files, ignoredFiles, ignoredFileNames, refused: reasons } = assertStatus(answer, 200).json
  assert.equal(reasons.length, refused.length)
  assert.deepEqual([created, files.created, ignoredFiles], [1, 1, refused.length])
  assert.deepEqual([...ignoredFileNames].sort(), [...refused].sort())
})

const deep = `${'d/'.repeat(33)}page.md`
const long = `${`${'x'.repeat(200)}/`.repeat(6)}page.md`
/** Why members of an archive are refused. */
const REFUSED: readonly (readonly [name: string, reason: RegExp, content?: Buffer])[] = [
  ['back\\slash.md', /backslash/],
  ['back\\slash.png', /backslash/],
  [deep, /32 segments/],
  [long, /1024 bytes/],
  [deep.replace('.md', '.png'), /32 segments/],
  ['latin.md', /is not UTF-8/, Buffer.from([0x61, 0xe4])],
  ['nul.md', /NUL/, Buffer.from('a\0b')],
  ['large.md', /has 1048577 bytes; the maximum is 1048576/, Buffer.alloc(1_048_577, 'x')],
  ['e\u0301.md', /duplicate/],
  ['beside.md', /beside\.metadata\.json is not JSON/],
]

test('what no page or file can be in an archive is named with its reason, and the rest is imported, over HTTP and with `recto import`', async () => {
  async function* members(): AsyncGenerator<ZipFile> {
    const others = ['ok.md', '\u00e9.md', 'ok.png', 'beside.metadata.json']
    for (const name of others) yield { name, modified: new Date(0), content: Buffer.from('text') }
    for (const [name, , content = Buffer.from('text')] of REFUSED) yield { name, modified: new Date(0), content }
  }
  const archive = await buffer(writeZip(members()))
  await service.admin.space('rest')
  for (const dryRun of [true, false]) {
    const answer = await service.admin.call('POST', `/spaces/rest/import?dryRun=${dryRun}`, {
      body: archive,
      headers: { 'content-type': 'application/zip' },
    })
    const { created, files, ignoredFiles, refused } = assertStatus(answer, 200).json
    assert.deepEqual([created, files.created, ignoredFiles], [2, 1, REFUSED.length])
    const reasons = new Map(refused.map(({ path, message }: { path: string; message: string }) => [path, message]))
    for (const [name, reason] of REFUSED) assert.match(String(reasons.get(name)), reason, name)
  }
  const pages = await service.admin.all('/spaces/rest/pages')
  assert.deepEqual(
    pages.map(({ path }) => path),
    ['ok', '\u00e9'],
  )
  const file = join(mkdtempSync(join(tmpdir(), 'recto-test-')), 'notes.zip')
  writeFileSync(file, archive)
  const environment = { RECTO_URL: service.admin.base, RECTO_API_KEY: service.admin.key ?? '' }
  const { out } = await runCommand(['import', file, '--space', 'rest', '--on-conflict', 'skip'], environment)
  rmSync(dirname(file), { recursive: true })
  assert.match(out, /^ {2}latin\.md: is not UTF-8$/m)
})
