import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { launchProcess } from '../support/process.ts'

test('lines of the log name each member once, also those about the embedded database', async (t) => {
  const data = mkdtempSync(join(tmpdir(), 'recto-log-lines-'))
  t.after(() => rmSync(data, { recursive: true }))
  const { child, ready } = launchProcess({ data, env: { SVC_LOG_LEVEL: 'info' } })
  let text = ''
  child.stdout?.on('data', (chunk) => (text += chunk))
  await (await ready)[Symbol.asyncDispose]()
  const lines = text.split('\n').filter((line) => line.startsWith('{'))
  const started = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'PostgreSQL is up')
  assert.ok(started.databasePid > 0)
  // A member that stands twice in a line stands once in what was parsed.
  for (const line of lines) assert.equal(JSON.stringify(JSON.parse(line)), line)
})
