import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { assertStatus } from '../support/client.ts'
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
