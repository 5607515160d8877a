import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostUrls, targetSessionAttributes } from './postgres-url.ts'

test('a URL with several hosts becomes one URL per host, in order', () => {
  assert.deepEqual(hostUrls('postgres://u:p%40@a:5432,b:5433/db?target_session_attrs=read-write&sslmode=disable'), [
    'postgres://u:p%40@a:5432/db?sslmode=disable',
    'postgres://u:p%40@b:5433/db?sslmode=disable',
  ])
  assert.deepEqual(hostUrls('postgresql://a,[::1]:6000/db'), ['postgresql://a/db', 'postgresql://[::1]:6000/db'])
})

test('hosts may be parameters, as in libpq', () => {
  assert.deepEqual(hostUrls('postgres:///db?host=a,b&port=1,2'), [
    'postgres:///db?host=a&port=1',
    'postgres:///db?host=b&port=2',
  ])
  assert.deepEqual(hostUrls('postgres://localhost:5432/db?host=%2Frun%2Fpg'), [
    'postgres://localhost:5432/db?host=%2Frun%2Fpg',
  ])
})

test('other texts are rejected', () => {
  for (const text of ['mysql://a/db', 'a:5432', 'postgres://a:x/db', 'postgres://a,,b/db', 'postgres://a:1,b:x/db'])
    assert.equal(hostUrls(text), undefined, text)
})

test('target_session_attrs is parsed from the URL', () => {
  assert.equal(targetSessionAttributes('postgres://a/db?target_session_attrs=read-write'), 'read-write')
  assert.equal(targetSessionAttributes('postgres://a/db'), undefined)
})
