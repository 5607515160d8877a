import assert from 'node:assert/strict'
import { appendFileSync, closeSync, mkdtempSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { boundLog, openLog, readSize, readTail } from './log-file.ts'

const MEGABYTE = 1024 * 1024

test('a log over its size limit is copied and truncated while its writer continues', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const path = temporaryLog(t)
  const writer = openLog(path)
  using _bound = boundLog(path)
  writeSync(writer, 'x'.repeat(9 * MEGABYTE))
  t.mock.timers.tick(10_000)
  assert.equal(statSync(`${path}.1`).size, 9 * MEGABYTE)
  assert.equal(readSize(path), 0)
  writeSync(writer, 'after')
  assert.equal(readTail(path, 0), 'after')
  closeSync(writer)
})

test('the tail is the last two kilobytes after the given offset', (t) => {
  const path = temporaryLog(t)
  assert.equal(readTail(path, 0), '', 'a log that is missing says nothing')
  writeFileSync(path, 'before\n')
  const start = readSize(path)
  appendFileSync(path, 'since\n')
  assert.equal(readTail(path, start), 'since')
  assert.equal(readTail(path, start + 1_000), 'before\nsince', 'a log that has stepped back is new from its start')
  appendFileSync(path, 'y'.repeat(10_000))
  assert.equal(readTail(path, start), 'y'.repeat(2_048))
})

function temporaryLog(t: { after(done: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'recto-test-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return join(folder, 'postgres.log')
}
