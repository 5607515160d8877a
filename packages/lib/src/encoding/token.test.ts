import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { isToken, newToken } from './token.ts'

const vectors = resolve(import.meta.dirname, '../../../../../shared/data/address-vectors.json')

interface Vector {
  readonly token: string
  readonly prefix: string
}

test('a new token is the prefix and 36 digits, and is valid', () => {
  const token = newToken('key_')
  assert.match(token, /^key_[0-9A-Za-z]{36}$/)
  assert.ok(isToken('key_', token))
  assert.notEqual(newToken('key_'), token)
})

test('the checksum equals that of published tokens', () => {
  assert.ok(isToken('npm_', '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'))
})

test('published tokens are valid', { skip: !existsSync(vectors) && 'no corpus at ../shared/data' }, () => {
  const { tokenChecksum } = JSON.parse(readFileSync(vectors, 'utf8')) as { tokenChecksum: Vector[] }
  assert.notEqual(tokenChecksum.length, 0)
  for (const { token, prefix } of tokenChecksum) assert.ok(isToken(prefix, token), token)
})

test('any one changed, missing or added character is detected', () => {
  const token = newToken('key_')
  for (let at = 0; at < token.length; at++) {
    const other = token[at] === 'x' ? 'y' : 'x'
    assert.equal(isToken('key_', token.slice(0, at) + other + token.slice(at + 1)), false, `at ${at}`)
    assert.equal(isToken('key_', token.slice(0, at) + token.slice(at + 1)), false, `without ${at}`)
  }
  for (const text of ['', 'key_', `${token}0`, ` ${token}`, `${token}\n`, token.toUpperCase()]) {
    assert.equal(isToken('key_', text), false, text)
  }
  assert.equal(isToken('other_', token), false)
})
