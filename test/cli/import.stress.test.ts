import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { runLine } from '@recto/cli/recto.ts'
import { assertStatus } from '../support/client.ts'
import { CORPORA, corporaMissing, corpusFiles, corpusFolder, corpusPages } from '../support/corpora.ts'
import { type Service, startService } from '../support/service.ts'
import { recordingTerminal } from '../support/terminal.ts'

let service: Service
before(async () => {
  service = await startService()
})
after(() => service[Symbol.asyncDispose]())

/** A folder with these files; names may be bytes that no text stands for. */
function folderOf(files: readonly (readonly [name: string | Buffer, body: string | Buffer])[]) {
  const path = mkdtempSync(join(tmpdir(), 'recto-test-'))
  for (const [name, body] of files) {
    if (typeof name === 'string') mkdirSync(dirname(join(path, name)), { recursive: true })
    writeFileSync(Buffer.concat([Buffer.from(`${path}/`), Buffer.from(name)]), body)
  }
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

async function load(folder: string, space: string, columns?: number) {
  const env = { RECTO_URL: service.app.address, RECTO_API_KEY: service.admin.key ?? '' }
  const terminal = recordingTerminal(env, columns)
  const code = await runLine(['import', folder, '--space', space], terminal)
  return { code, ...terminal.said }
}

/** The bytes of a page's Markdown. */
async function markdown(space: string, path: string): Promise<Buffer> {
  const response = await fetch(`${service.app.address}/pages/${space}/${encodeURIComponent(`${path}.md`)}`, {
    headers: { authorization: `Bearer ${service.admin.key}` },
  })
  assert.equal(response.status, 200, path)
  return Buffer.from(await response.arrayBuffer())
}

for (const corpus of CORPORA) {
  test(`the corpus ${corpus} is imported completely and byte for byte, and a second run changes nothing`, {
    skip: corporaMissing,
  }, async () => {
    const files = corpusFiles(corpus)
    const first = await load(corpusFolder(corpus), corpus)
    assert.equal(first.code, 0, first.out)
    assert.match(first.out, new RegExp(`: ${files.size} created, 0 updated, 0 unchanged`))
    for (const [path, body] of files) assert.ok(body.equals(await markdown(corpus, path)), path)
    const listed = await service.admin.all(`/spaces/${corpus}/pages?limit=200`)
    assert.deepEqual(new Set(listed.map(({ path }) => path)), new Set(files.keys()))

    const second = await load(corpusFolder(corpus), corpus)
    assert.equal(second.code, 0)
    assert.match(second.out, new RegExp(`: 0 created, 0 updated, ${files.size} unchanged`))
    const again = await service.admin.all(`/spaces/${corpus}/pages?limit=200`)
    assert.ok(again.every(({ version }) => version === 1))
  })

  test(`the bodies of ${corpus} with rewritten links are imported byte for byte`, {
    skip: corporaMissing,
  }, async () => {
    const pages = corpusPages(corpus)
    using folder = folderOf(pages.map(({ path, body }) => [`${path}.md`, body]))
    assert.equal((await load(folder.path, `${corpus}-pages`)).code, 0)
    for (const { path, body } of pages) {
      assert.ok(Buffer.from(body).equals(await markdown(`${corpus}-pages`, path)), path)
    }
  })
}

test('import keeps unusual characters of file names in paths', async () => {
  const names = [
    'links',
    'a/versions/3/make-latest',
    'a b/c?d#e',
    '100%/%2F',
    'folder.md/y',
    'ärger/\u{1F4D6}',
    'personal/recent',
    'x...',
    "it's (really) & + ; = @",
    'BOM',
  ]
  using folder = folderOf(names.map((name) => [`${name}.md`, `\uFEFF${name}\r\n`]))
  const { code, out } = await load(folder.path, 'odd')
  assert.equal(code, 0, out)
  const listed = await service.admin.all('/spaces/odd/pages')
  assert.deepEqual(new Set(listed.map(({ path }) => path)), new Set(names))
  for (const name of names) assert.equal((await markdown('odd', name)).toString(), `\uFEFF${name}\r\n`)
})

test('a repeated import writes a revision for changed files only', async () => {
  using folder = folderOf([
    ['a.md', 'one'],
    ['b.md', 'two'],
  ])
  assert.equal((await load(folder.path, 'changed')).code, 0)
  writeFileSync(join(folder.path, 'a.md'), 'one and a half')
  const { code, out } = await load(folder.path, 'changed')
  assert.equal(code, 0)
  assert.match(out, /: 0 created, 1 updated, 1 unchanged/)
  assert.equal((await service.admin.page('/pages/changed/a')).json.version, 2)
  assert.equal((await service.admin.page('/pages/changed/b')).json.version, 1)
})

test('a repeated import completes an interrupted one and keeps pages of others', async () => {
  await service.admin.space('resumed')
  assertStatus(await service.admin.put('/pages/resumed/a', 'one'), 201)
  assertStatus(await service.admin.put('/pages/resumed/other', 'not from the folder'), 201)
  using folder = folderOf([
    ['a.md', 'one'],
    ['b.md', 'two'],
  ])
  const { code, out } = await load(folder.path, 'resumed')
  assert.equal(code, 0)
  assert.match(out, /2 pages of `resumed` match the folder: 1 created, 0 updated, 1 unchanged/)
  assert.equal((await markdown('resumed', 'other')).toString(), 'not from the folder')
})

test('files that cannot be pages are rejected with a reason, and the others are imported', async () => {
  using folder = folderOf([
    ['good.md', 'good'],
    ['large.md', 'x'.repeat(2_000_000)],
    ['not-utf8.md', Buffer.from([0x61, 0xff])],
    ['nul.md', 'a\0b'],
    ['blank .md', 'a blank at the end of its name'],
    ['back\\slash.md', ''],
    ['caf\u00e9.md', 'composed'],
    ['cafe\u0301.md', 'decomposed'],
    [Buffer.from([0x66, 0xff, 0x2e, 0x6d, 0x64]), 'a name in no encoding'],
    ['image.png', 'not Markdown'],
  ])
  const { code, out } = await load(folder.path, 'rejected')
  assert.equal(code, 1)
  assert.match(out, /2 pages of `rejected` match the folder: 2 created/)
  assert.match(out, /Files: 1 created/)
  assert.match(out, /7 rejected:/)
  assert.match(out, /large\.md: .*2000000 bytes/)
  assert.match(out, /not-utf8\.md: .*not UTF-8/)
  assert.match(out, /nul\.md: .*NUL/)
  assert.match(out, /blank \.md: .*white space/)
  assert.match(out, /back\\slash\.md: .*backslash/)
  assert.match(
    out,
    /caf\u00e9\.md: it has the same path as cafe\u0301\.md|cafe\u0301\.md: it has the same path as caf\u00e9\.md/,
  )
  assert.match(out, /f\u00ff\.md: its name is not UTF-8/)
})

test('symbolic links are not followed, and an empty folder imports nothing', async () => {
  using outside = folderOf([['secret.md', 'secret']])
  using folder = folderOf([])
  symlinkSync(outside.path, join(folder.path, 'linked'))
  symlinkSync(join(outside.path, 'secret.md'), join(folder.path, 'secret.md'))
  const { code, out } = await load(folder.path, 'linked')
  assert.equal(code, 0)
  assert.match(out, /0 pages .*\nIgnored: 2 symbolic links\.\n {2}linked\n {2}secret\.md\n/)
  assert.deepEqual(await service.admin.all('/spaces/linked/pages'), [])
})

test('import writes to the personal space', async () => {
  using folder = folderOf([['mine/a.md', 'mine']])
  assert.equal((await load(folder.path, 'personal')).code, 0)
  assert.equal((await markdown('personal', 'mine/a')).toString(), 'mine')
})

test('progress is a bar on a terminal, else a line for every 10 %', async () => {
  using folder = folderOf(Array.from({ length: 20 }, (_, index) => [`${index}.md`, 'x'] as const))
  const shown = await load(folder.path, 'shown', 40)
  const bars = shown.err.split('\r').filter((line) => line.startsWith('['))
  assert.ok(bars.length > 20)
  assert.ok(bars.every((line) => line.length < 40 && !line.includes('\n')))
  assert.ok(shown.err.endsWith('\r\u001b[K'))
  const plain = await load(folder.path, 'shown')
  assert.deepEqual(plain.err.trim().split('\n').at(0), '2 of 20 files')
  assert.equal(plain.err.trim().split('\n').length, 10)
})

test('a space that the key cannot write stops the import with exit code 2', async () => {
  using folder = folderOf([['a.md', 'a']])
  const terminal = recordingTerminal({ RECTO_URL: service.app.address, RECTO_API_KEY: 'svc_wrong' })
  assert.equal(await runLine(['import', folder.path, '--space', 'x'], terminal), 2)
  assert.match(terminal.said.err, /rejects the request: The API key is not valid/)
  const bad = await load(folder.path, 'Not A Slug')
  assert.equal(bad.code, 2)
  assert.match(bad.err, /slug/)
})
