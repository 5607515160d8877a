import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { assertStatus } from '../support/client.ts'
import { getBytes, png, putBytes } from '../support/files.ts'
import { type Service, startService } from '../support/service.ts'
import { runCommand } from '../support/terminal.ts'

const folder = mkdtempSync(join(tmpdir(), 'recto-cli-'))
let service: Service
before(async () => {
  service = await startService()
  await service.admin.space('origin')
  await service.admin.put('/pages/origin/a/b', '# One')
  await service.admin.put('/pages/origin/a/b?note=second', '# Two', { 'if-match': '"1"' })
  await service.admin.patch('/pages/origin/a/b/metadata', { set: { kind: 'x' } })
})
after(async () => {
  await service[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

function run(...words: readonly string[]) {
  return runCommand(words, { RECTO_URL: service.admin.base, RECTO_API_KEY: service.admin.key ?? '' })
}

test('export writes an archive or a bundle, and import reads both', async () => {
  for (const form of ['zip', 'json']) {
    const file = join(folder, `space.${form}`)
    assert.equal((await run('export', file, '--space', 'origin', '--history')).code, 0)
    const dry = await run('import', file, '--space', 'origin', '--dry-run', '--on-conflict', 'skip')
    assert.match(dry.out, /nothing was written.*1 skipped/)
    const { code, out, err } = await run('import', file, '--space', `copy-${form}`)
    assert.equal(code, 0, err)
    assert.match(out, /1 created/)
    const page = assertStatus(await service.admin.page(`/pages/copy-${form}/a/b`), 200).json
    assert.equal(page.body, '# Two')
    assert.equal(page.version, 2)
    assert.equal(page.note, 'second')
    const again = await run('import', file, '--space', `copy-${form}`)
    assert.equal(again.code, 2)
    assert.match(again.err, /409/)
    const twice = await run('export', file, '--space', 'origin')
    assert.match(twice.err, /exists/)
  }
})

test('--metadata front-matter sets the metadata of pages of an archive that bring none', async () => {
  await service.admin.space('matter')
  await service.admin.put('/pages/matter/a', '---\nstatus: draft\n---\n# A\n')
  const file = join(folder, 'matter.zip')
  assert.equal((await run('export', file, '--space', 'matter')).code, 0)
  for (const [space, metadata] of [
    ['matter-off', {}],
    ['matter-on', { status: 'draft' }],
  ] as const) {
    const options = space === 'matter-on' ? ['--metadata', 'front-matter'] : []
    assert.equal((await run('import', file, '--space', space, ...options)).code, 0)
    assert.deepEqual((await service.admin.get(`/pages/${space}/a/metadata`)).json.metadata, metadata)
  }
})

test('a failed export leaves no file', async () => {
  const file = join(folder, 'none.json')
  assert.equal((await run('export', file, '--space', 'absent')).code, 3)
  assert.ok(!existsSync(file))
  assert.equal((await run('export', file)).code, 64)
})

test('--obsidian converts wikilinks to links that are not broken', async () => {
  const vault = join(folder, 'vault')
  mkdirSync(join(vault, 'notes'), { recursive: true })
  writeFileSync(join(vault, 'Home.md'), '# Home\n\n[[Deep note|see]] `[[Home]]`')
  writeFileSync(join(vault, 'notes', 'Deep note.md'), '[[Home#Home]]')
  const { code, err } = await run('import', vault, '--space', 'vault', '--obsidian')
  assert.equal(code, 0, err)
  assert.equal(
    (await service.admin.get('/pages/vault/Home.md')).text,
    '# Home\n\n[see](./notes/Deep%20note.md) `[[Home]]`',
  )
  assert.deepEqual(await service.admin.all('/spaces/vault/links/broken'), [])
  assert.equal(readFileSync(join(vault, 'notes', 'Deep note.md'), 'utf8'), '[[Home#Home]]')
})

test('the files of a folder are imported, embedded ones of a vault work, and importing again changes nothing', async () => {
  const vault = join(folder, 'pictures')
  mkdirSync(join(vault, '.obsidian'), { recursive: true })
  mkdirSync(join(vault, 'notes', 'media'), { recursive: true })
  writeFileSync(join(vault, '.obsidian', 'app.json'), '{"attachmentFolderPath":"./media"}')
  const bytes = png(4, 3)
  writeFileSync(join(vault, 'notes', 'media', 'My photo.png'), bytes)
  writeFileSync(join(vault, 'x.png'), png(2, 2))
  writeFileSync(join(vault, 'report.pdf'), '%PDF-1.7\n')
  const note =
    '![[My photo.png]] ![[x.png|300]] ![[x.png|Alt|30x20]] [[report.pdf]] ![[absent.png]] ![](media/My%20photo.png)'
  writeFileSync(join(vault, 'notes', 'Note.md'), note)
  const load = () => run('import', vault, '--space', 'pictures', '--obsidian')
  const first = await load()
  assert.equal(first.code, 0, first.err)
  assert.match(first.out, /1 created[\s\S]*Files: 3 created, 0 updated, 0 unchanged/)
  assert.equal(
    (await service.admin.get('/pages/pictures/notes/Note.md')).text,
    '![My photo.png](./media/My%20photo.png) <img src="../x.png" alt="x.png" width="300"> <img src="../x.png" alt="Alt" width="30" height="20"> [report.pdf](../report.pdf) ![absent.png](./media/absent.png) ![](media/My%20photo.png)',
  )
  assert.deepEqual(
    (await service.admin.all('/spaces/pictures/links/broken')).map(({ target }) => target.path),
    ['notes/media/absent.png'],
  )
  const read = await getBytes(service.admin, '/files/pictures/notes/media/My%20photo.png')
  assert.ok(read.bytes.equals(bytes))
  const again = await load()
  assert.match(again.out, /1 unchanged[\s\S]*Files: 0 created, 0 updated, 3 unchanged/)
  writeFileSync(join(vault, 'x.png'), png(5, 5))
  assert.match((await load()).out, /Files: 0 created, 1 updated, 2 unchanged/)
  const others = await putBytes(service.admin, '/files/pictures/x.png', png(6, 6), { 'if-match': '*' })
  assertStatus(others, 200)
  assert.match((await load()).out, /1 kept/)
  writeFileSync(join(vault, 'x.png'), png(7, 7))
  const rejected = await load()
  assert.equal(rejected.code, 1)
  assert.match(rejected.out, /x\.png: the file in the space differs/)
})
