import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepAddresses } from './client-address.ts'

function kept(header: string, trustedProxies = 1) {
  const headers = { 'x-forwarded-for': header }
  keepAddresses(headers, trustedProxies)
  return headers['x-forwarded-for']
}

test('an address counts without the port that a proxy added to it', () => {
  for (const [entry, address] of [
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:51432', '192.0.2.1'],
    [' 192.0.2.1:1 ', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[::1]:443', '::1'],
    ['[::ffff:192.0.2.1]:443', '::ffff:192.0.2.1'],
  ] as const) {
    assert.equal(kept(entry), address, entry)
  }
})

test('what is no address counts for nothing, and neither does what stands before it', () => {
  for (const junk of [
    ...['unknown', '_hidden', '-', '"192.0.2.1"', '192.0.2', '192.0.2.256', '192.0.2.1:x', '192.0.2.1:123456'],
    ...['010.0.0.1', '[192.0.2.1]:443', '[::1', '::1]:443', '[]:1', '::1::', 'localhost', '192.0.2.1 192.0.2.2'],
  ]) {
    assert.equal(kept(junk), '', junk)
    assert.equal(kept(`198.51.100.7, ${junk}`, 2), '', junk)
    assert.equal(kept(`198.51.100.7, ${junk}, 10.0.0.1`, 3), '10.0.0.1', junk)
  }
  assert.equal(kept(',, ,'), '')
})

test('only what trusted proxies have added is kept, and without one the header stays as it came', () => {
  assert.equal(kept('198.51.100.7:1, 192.0.2.1:2'), '192.0.2.1')
  assert.equal(kept('198.51.100.7:1, 192.0.2.1:2', 2), '198.51.100.7, 192.0.2.1')
  assert.equal(kept('junk, 192.0.2.1:2', 0), 'junk, 192.0.2.1:2')
})
