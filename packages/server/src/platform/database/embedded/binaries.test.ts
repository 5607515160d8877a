import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { linkLibraries, locateBinaries } from './binaries.ts'

test('library links that the installer omitted are created, and existing ones are kept', () => {
  const root = mkdtempSync(join(tmpdir(), 'recto-test-'))
  const native = join(root, 'native')
  const lib = join(native, 'lib')
  mkdirSync(lib, { recursive: true })
  writeFileSync(join(lib, 'libpq.so.5.18'), 'the library')
  writeFileSync(join(lib, 'libother.so'), 'the machine’s own')
  symlinkSync('libother.so', join(lib, 'libother.so.1'))
  const links = ['libpq.so', 'libpq.so.5', 'libother.so.1'].map((name) => ({
    source: 'native/lib/libpq.so.5.18',
    target: `native/lib/${name}`,
  }))
  writeFileSync(join(native, 'pg-symlinks.json'), JSON.stringify(links))
  linkLibraries(native)
  linkLibraries(native)
  assert.equal(readFileSync(join(lib, 'libpq.so'), 'utf8'), 'the library')
  assert.equal(readFileSync(join(lib, 'libpq.so.5'), 'utf8'), 'the library')
  assert.equal(readFileSync(join(lib, 'libother.so.1'), 'utf8'), 'the machine’s own')
  rmSync(root, { recursive: true })
})

test('the programs of this platform are found', () => {
  const { initdb, postgres } = locateBinaries()
  for (const program of [initdb, postgres]) assert.ok(readFileSync(program).length > 10_000)
})
