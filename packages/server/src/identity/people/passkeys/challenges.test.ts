import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCursorSealer } from '@recto/lib/encoding/cursor.ts'
import { CHALLENGE_SECONDS, newChallenge, openChallenge, toRelyingParty } from './challenges.ts'

test('a challenge opens for its purpose, until it expires', () => {
  let time = 1_000_000
  const deps = { cursors: createCursorSealer(Buffer.alloc(32, 1)), now: () => new Date(time) }
  const { challenge, sealed } = newChallenge(deps, 'register/session-1')
  assert.equal(Buffer.from(challenge, 'base64url').length, 32)
  assert.equal(openChallenge(deps, 'register/session-1', sealed)?.challenge, challenge)
  assert.equal(openChallenge(deps, 'register/session-2', sealed), undefined)
  assert.equal(openChallenge(deps, 'sign-in', sealed), undefined)
  assert.equal(openChallenge(deps, 'sign-in', undefined), undefined)
  const other = { ...deps, cursors: createCursorSealer(Buffer.alloc(32, 2)) }
  assert.equal(openChallenge(other, 'register/session-1', sealed), undefined)
  time += CHALLENGE_SECONDS * 1000 - 1
  assert.equal(openChallenge(deps, 'register/session-1', sealed)?.challenge, challenge)
  time += 1
  assert.equal(openChallenge(deps, 'register/session-1', sealed), undefined)
})

test('passkeys belong to a host name', () => {
  assert.deepEqual(toRelyingParty('https://wiki.example.org:8443'), {
    id: 'wiki.example.org',
    origin: 'https://wiki.example.org:8443',
  })
  assert.deepEqual(toRelyingParty('http://localhost:3000')?.id, 'localhost')
  for (const url of ['http://127.0.0.1:3000', 'http://[::1]:3000']) {
    assert.deepEqual(toRelyingParty(url), { id: 'localhost', origin: 'http://localhost:3000' })
  }
  for (const url of ['http://127.0.0.2:3000', 'https://127.0.0.1', 'http://192.0.2.1', 'http://[2001:db8::1]']) {
    assert.equal(toRelyingParty(url), undefined)
  }
})
