import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { ConfigError } from '../../platform/config.ts'
import { readOrMakeKey } from '../../platform/database/secret-key.ts'
import { createSecretBox, newSecret } from './secret.ts'

test('a secret is whsec_ and 32 random bytes in base64', () => {
  const secret = newSecret()
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.equal(Buffer.from(secret.slice(6), 'base64').length, 32)
  assert.notEqual(newSecret(), secret)
})

test('a sealed secret can be decrypted, is never the same twice, and does not contain the plain text', () => {
  const box = createSecretBox(randomBytes(32))
  const id = uuid7()
  const secret = newSecret()
  const sealed = box.seal(id, secret)
  assert.equal(box.open(id, sealed), secret)
  assert.notDeepEqual(box.seal(id, secret), sealed)
  assert.ok(!sealed.includes(secret))
  assert.ok(!sealed.includes(Buffer.from(secret.slice(6), 'base64')))
})

test('another key, another webhook and every changed byte are rejected', () => {
  const box = createSecretBox(randomBytes(32))
  const other = createSecretBox(randomBytes(32))
  const id = uuid7()
  const sealed = box.seal(id, newSecret())
  assert.notEqual(box.keyId, other.keyId)
  assert.throws(() => other.open(id, sealed))
  assert.throws(() => box.open(uuid7(), sealed))
  for (const at of sealed.keys()) {
    const changed = Buffer.from(sealed)
    changed[at] = (changed[at] ?? 0) ^ 1
    assert.throws(() => box.open(id, changed), `byte ${at}`)
  }
})

test('the key file is made once, for its owner alone, and read again', () => {
  const data = mkdtempSync(join(tmpdir(), 'recto-test-'))
  try {
    const key = readOrMakeKey(data)
    assert.equal(key.length, 32)
    assert.equal(statSync(join(data, 'secret-key')).mode & 0o777, 0o600)
    assert.deepEqual(readOrMakeKey(data), key)
    assert.equal(readFileSync(join(data, 'secret-key'), 'utf8').trim(), key.toString('base64'))
    writeFileSync(join(data, 'secret-key'), 'short')
    assert.throws(() => readOrMakeKey(data), ConfigError)
  } finally {
    rmSync(data, { recursive: true })
  }
})
