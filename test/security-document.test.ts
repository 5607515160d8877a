import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ROOT } from './support/process.ts'

test('each test that SECURITY.md names for a promise exists', () => {
  const text = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8')
  const named = [...text.matchAll(/\| `([^`]+\.test\.ts)`: "([^"]+)" \|/g)]
  assert.ok(named.length > 10)
  for (const [, file = '', name = ''] of named) {
    assert.ok(readFileSync(join(ROOT, file), 'utf8').includes(`'${name}'`), `${file}: ${name}`)
  }
})
