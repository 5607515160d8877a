import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { writeZip, type ZipFile } from '@recto/lib/zip/zip-writer.ts'
import { assertStatus } from '../support/client.ts'
import { openBrowser } from '../support/oauth.ts'
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
  ['twice.md.md', /must not end in "\.md" twice/],
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
  const { out, code } = await runCommand(['import', file, '--space', 'rest', '--on-conflict', 'skip'], environment)
  rmSync(dirname(file), { recursive: true })
  assert.match(out, /^ {2}latin\.md: is not UTF-8$/m)
  assert.equal(code, 1)
})

const IMPOSSIBLE: readonly (readonly [name: string, reason: RegExp, printed?: string])[] = [
  ['trail .md', /white space/],
  [' lead.md', /white space/],
  ['folder /in.md', /white space/],
  ['nbsp\u00a0.md', /white space/],
  [' pic.png', /white space/],
  ['back\\slash.md', /backslash/],
  ['back\\slash.png', /backslash/],
  ['tab\tbed.md', /control characters/, 'tab bed.md'],
  ['line\nbreak.md', /control characters/, 'line break.md'],
  ['escape\u001b[2J.md', /control characters/, 'escape\ufffd[2J.md'],
  ['bidi\u202edm.md', /direction marks/, 'bidi\ufffddm.md'],
  ['bidi\u202egnp.png', /direction marks/, 'bidi\ufffdgnp.png'],
  ['zero\u200b.md', /invisible characters/, 'zero\ufffd.md'],
  [deep, /32 segments/],
  ['twice.md.md', /must not end in "\.md"/],
]
/** Two of them have one path, of which the first in the order of bytes is imported. */
const POSSIBLE = ['ok.md', 'other/fine.md', 'ok.png', 'e\u0301.png']
const SAME_PATH = '\u00e9.png'
const MANY = 60

for (const { what, args, more } of [
  { what: 'a folder', args: [], more: 0 },
  { what: 'a vault of Obsidian', args: ['--obsidian'], more: 0 },
  { what: 'a folder of many files', args: [], more: MANY },
]) {
  test(`a name that no page or file can have is named by an import of ${what} and by its dry run, and the rest is imported`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'recto-test-'))
    const pages = Array.from({ length: more }, (_, n) => `page-${n}.md`)
    for (const name of [...IMPOSSIBLE.map(([name]) => name), ...POSSIBLE, SAME_PATH, ...pages]) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), name)
    }
    const space = what.replaceAll(' ', '-').toLowerCase()
    const environment = { RECTO_URL: service.admin.base, RECTO_API_KEY: service.admin.key ?? '' }
    for (const mode of [['--dry-run'], []]) {
      const { code, out } = await runCommand(['import', folder, '--space', space, ...args, ...mode], environment)
      assert.equal(code, 1)
      const lines = out.split('\n')
      assert.match(out, new RegExp(`${2 + more} created, 0 updated`))
      assert.ok(lines.includes('Files: 2 created, 0 updated, 0 unchanged, 0 kept, 0 skipped.'), out)
      assert.ok(lines.includes(`${IMPOSSIBLE.length + 1} rejected:`), out)
      for (const [name, reason, printed = name] of IMPOSSIBLE) {
        const line = lines.find((each) => each.startsWith(`  ${printed}: `))
        assert.match(line ?? '', reason, `${JSON.stringify(name)} in ${out}`)
      }
      assert.ok(lines.includes(`  ${SAME_PATH}: it has the same path as e\u0301.png`), out)
    }
    rmSync(folder, { recursive: true })
    assert.equal((await service.admin.all(`/spaces/${space}/pages`)).length, 2 + more)
    assert.equal((await service.admin.all(`/spaces/${space}/files`)).length, 2)
  })
}

test('the import of an archive in the browser names what no page or file can be, and only the others have a path', async () => {
  async function* members(): AsyncGenerator<ZipFile> {
    const hidden = Array.from({ length: 120 }, (_, n) => `.obsidian/${n}`)
    for (const name of [...hidden, ...IMPOSSIBLE.map(([name]) => name), 'ok.md', 'ok.png'])
      yield { name, modified: new Date(0), content: Buffer.from('text') }
  }
  const archive = await buffer(writeZip(members()))
  await service.admin.space('browser')
  const browser = await openBrowser(service.admin.base, service.admin.key ?? '')
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec((await browser.open('/import/browser')).text) ?? []
  const form = new FormData()
  for (const [name, value] of Object.entries({ csrf, onConflict: 'skip', action: 'import' })) form.set(name, value)
  form.set('archive', new Blob([archive]), 'vault.zip')
  const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
  const headers = { cookie, accept: 'text/html', 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate' }
  const answer = await fetch(`${service.admin.base}/import/browser`, { method: 'POST', body: form, headers })
  const text = await answer.text()
  const reasons = new Map(
    [...text.matchAll(/<li><bdi>([^<]*)<\/bdi>: <bdi>([^<]*)<\/bdi>/g)].map(([, name = '', reason]) => [name, reason]),
  )
  for (const [name, reason] of IMPOSSIBLE) {
    const statedReason = reasons.get(name)?.replaceAll('&quot;', '"')
    assert.match(statedReason ?? '', reason, `${JSON.stringify(name)} in ${[...reasons.keys()]}`)
  }
  const paths = [...text.matchAll(/<bdi><strong>([^<]*)<\/strong>/g)].map(([, path]) => path)
  assert.deepEqual(paths, ['ok', 'ok.png'])
})
