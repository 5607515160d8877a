import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { fc } from '../../../../test/support/property.ts'
import { isPublicAddress, parseAddress } from './address-ranges.ts'

const vectors = resolve(import.meta.dirname, '../../../../../shared/data/address-vectors.json')

interface Vector {
  readonly address: string
  readonly denied: boolean
}

test('every address vector is classified as listed', {
  skip: !existsSync(vectors) && 'no corpus at ../shared/data',
}, () => {
  const { addresses } = JSON.parse(readFileSync(vectors, 'utf8')) as { addresses: Vector[] }
  assert.ok(addresses.length >= 120)
  const wrong = addresses.filter(({ address, denied }) => isPublicAddress(address) === denied)
  assert.deepEqual(wrong, [])
})

test('both ends of every IPv4 block are denied, and their neighbours are not', () => {
  const blocks = [
    ['100.64.0.0', '100.127.255.255'],
    ['169.254.0.0', '169.254.255.255'],
    ['172.16.0.0', '172.31.255.255'],
    ['192.0.0.0', '192.0.0.255'],
    ['198.18.0.0', '198.19.255.255'],
    ['203.0.113.0', '203.0.113.255'],
    ['168.63.129.16', '168.63.129.16'],
  ] as const
  for (const [first, last] of blocks) {
    assert.ok(!isPublicAddress(first), first)
    assert.ok(!isPublicAddress(last), last)
    assert.ok(isPublicAddress(text4(value(first) - 1n)), `before ${first}`)
    assert.ok(isPublicAddress(text4(value(last) + 1n)), `after ${last}`)
  }
})

test('an IPv4-mapped address is classified as its IPv4 address', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      assert.equal(isPublicAddress(`::ffff:${address}`), isPublicAddress(address))
      assert.equal(isPublicAddress(`2606:4700::5efe:${address}`), isPublicAddress(address))
    }),
  )
})

test('every notation of an address is the same one', () => {
  const spellings = ['2001:DB8::1', '2001:db8:0:0:0:0:0:1', '2001:0db8::0001', '2001:db8::0.0.0.1', '2001:db8:0::0:1']
  for (const text of spellings) assert.equal(String(parseAddress(text)), '2001:db8::1', text)
  assert.equal(String(parseAddress('::ffff:1.2.3.4')), '1.2.3.4')
})

test('text that is not exactly an address is rejected', () => {
  const texts = [
    ...['', ' ', '1', '1.2.3', '1.2.3.4.5', '1.2.3.4.', '.1.2.3.4', '1..3.4', '01.2.3.4', '256.1.1.1', '1.2.3.4 '],
    ...['1.2.3.-4', '+1.2.3.4', '1e1.2.3.4', '0x7f.0.0.1', '127.1', '2130706433', '１.2.3.4', '1.2.3.4\n'],
    ...[':', ':::', '::1::', '1:2:3:4:5:6:7', '1:2:3:4:5:6:7:8:9', '1:2:3:4:5:6:7:8::', '::1:2:3:4:5:6:7:8'],
    ...['12345::', 'g::', '::1%eth0', '[::1]', '::1/128', '1.2.3.4::', '::1.2.3.4:5', '::1.2.3', '::256.1.1.1'],
    ...[':1:2:3:4:5:6:7', '1:2:3:4:5:6:7:', '1::2::3', '::01.2.3.4', ' ::1', '::1 ', '1:2:3:4:5:6:7:1.2.3.4'],
  ]
  for (const text of texts) {
    assert.equal(parseAddress(text), undefined, text)
    assert.equal(isPublicAddress(text), false, text)
  }
})

test('it parses exactly the addresses that Node parses', () => {
  const noise = fc.stringMatching(/^[0-9a-f:.]{1,20}$/)
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6(), noise), (text) => {
      assert.equal(parseAddress(text) !== undefined, isIP(text) !== 0)
    }),
    { numRuns: 2000 },
  )
})

function value(text: string): bigint {
  return text.split('.').reduce((sum, part) => (sum << 8n) | BigInt(part), 0n)
}

function text4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.')
}
