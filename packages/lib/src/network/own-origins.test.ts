import assert from 'node:assert/strict'
import { test } from 'node:test'
import { originOfHost, ownOrigins } from './own-origins.ts'

test('a service on this machine has the origins of every loopback name, another one its own', () => {
  assert.deepEqual(ownOrigins('http://localhost:3000'), [
    'http://localhost:3000',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
  ])
  assert.deepEqual(ownOrigins('http://127.0.0.1')[1], 'http://localhost')
  assert.deepEqual(ownOrigins('https://wiki.example.org'), ['https://wiki.example.org'])
})

test('a host is ours with a name and the port of ours only', () => {
  assert.equal(originOfHost('127.0.0.1:3000', 'http://localhost:3000'), 'http://127.0.0.1:3000')
  assert.equal(originOfHost('127.0.0.1:3001', 'http://localhost:3000'), undefined)
  assert.equal(originOfHost('127.0.0.1.example:3000', 'http://localhost:3000'), undefined)
  assert.equal(originOfHost('wiki.example.org', 'https://wiki.example.org'), 'https://wiki.example.org')
  assert.equal(originOfHost('localhost', 'https://wiki.example.org'), undefined)
})
