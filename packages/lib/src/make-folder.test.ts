import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeFolder } from './make-folder.ts'

test('a folder is created with its parents, and one that exists stays', () => {
  const root = mkdtempSync(join(tmpdir(), 'recto-test-'))
  const path = join(root, 'a/b/c')
  makeFolder(path, 0o700)
  makeFolder(path)
  assert.equal(statSync(join(root, 'a')).mode & 0o777, 0o700)
  writeFileSync(join(root, 'file'), '')
  assert.throws(() => makeFolder(join(root, 'file')), { code: 'EEXIST' })
  assert.throws(() => makeFolder(join(root, 'file/a')), { code: 'ENOTDIR' })
  rmSync(root, { recursive: true })
})

test('a file system that takes no folders is an error, not an endless loop', {
  skip: !existsSync('/proc/self') && 'no /proc',
}, () => {
  assert.throws(() => makeFolder('/proc/recto/a/b'), { code: 'ENOENT' })
})
