import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { test } from 'node:test'
import { isPublicAddress } from '@recto/lib/network/address-ranges.ts'
import { readJson, withSharedData } from '../../../../../test/support/shared-data.ts'
import { checkTargetUrl } from './target-url.ts'

const shut = { allowHttp: false, allowPrivate: false, isPublic: isPublicAddress }

function verdict(url: string, reach = shut): string {
  const judged = checkTargetUrl(url, reach)
  return judged instanceof URL ? 'accepted' : judged.code
}

/** The code for each reason of the vectors. */
const CODES: Readonly<Record<string, readonly string[]>> = {
  scheme: ['webhook_url_not_https', 'webhook_url_invalid'],
  invalid_url: ['webhook_url_invalid'],
  userinfo: ['webhook_url_invalid'],
  port: ['webhook_url_invalid'],
  address: ['webhook_url_private'],
  hostname: ['webhook_url_private'],
}

test('every address and URL of the vectors is allowed or rejected as listed', withSharedData, () => {
  const { addresses, urls } = readJson<{
    addresses: { address: string; denied: boolean }[]
    urls: { url: string; accepted: boolean; reason: string }[]
  }>('address-vectors.json')
  for (const { address, denied } of addresses) {
    // A name cannot resolve to the others; in a URL they are parsed as names, or normalised, and cannot have a zone.
    if (isIP(address) === 0) continue
    const url = `https://${address.includes(':') ? `[${address}]` : address}/h`
    const expected = denied ? (URL.canParse(url) ? 'webhook_url_private' : 'webhook_url_invalid') : 'accepted'
    assert.equal(verdict(url), expected, url)
  }
  for (const { url, accepted, reason } of urls) {
    const codes = accepted ? ['accepted'] : CODES[reason]
    assert.ok(codes?.includes(verdict(url)), `${url}: ${verdict(url)}, not ${codes}`)
  }
})

test(
  'the first and last address of every special block are rejected, and their neighbours are not',
  withSharedData,
  () => {
    const { vectors } = readJson<{ vectors: { url: string; expect: string; sure?: boolean }[] }>(
      'webhook-url-edges.json',
    )
    assert.ok(vectors.length > 200)
    for (const { url, expect } of vectors) {
      const accepted = verdict(url) === 'accepted'
      if (expect === 'reject') assert.equal(accepted, false, url)
      if (expect === 'accept' || expect === 'dns') assert.equal(accepted, true, url)
    }
  },
)

test('characters that parsers drop silently are rejected', () => {
  for (const url of [
    'ht\ntps://example.com/',
    'https://exa\tmple.com/',
    'https:example.com',
    'https:///example.com/',
    '//example.com/',
    '',
    ' ',
    `https://example.com/${'a'.repeat(2048)}`,
    `https://example.com/${'ü'.repeat(600)}`,
  ]) {
    assert.equal(verdict(url), 'webhook_url_invalid', JSON.stringify(url))
  }
})

test('each setting allows only what it names', () => {
  const http = { ...shut, allowHttp: true }
  const inside = { ...shut, allowPrivate: true }
  assert.equal(verdict('http://example.com/', http), 'accepted')
  assert.equal(verdict('http://127.0.0.1/', http), 'webhook_url_private')
  assert.equal(verdict('https://10.0.0.1/', inside), 'accepted')
  assert.equal(verdict('https://localhost/', inside), 'accepted')
  assert.equal(verdict('http://10.0.0.1/', inside), 'webhook_url_not_https')
  assert.equal(verdict('https://u:p@10.0.0.1/', inside), 'webhook_url_invalid')
  assert.equal(verdict('ftp://10.0.0.1/', { ...http, allowPrivate: true }), 'webhook_url_invalid')
})

test('a URL is normalised, without its fragment', () => {
  const url = (text: string) => String(checkTargetUrl(text, shut))
  assert.equal(url(' https://BÜCHER.example/a b#c'.replace('a b', 'ab')), 'https://xn--bcher-kva.example/ab')
  assert.equal(url('https://example.com:443/x?y=1#z'), 'https://example.com/x?y=1')
})

test('hosts that no DNS can hold are rejected', () => {
  const label = 'a'.repeat(63)
  const longest = `${label}.${label}.${label}.${'a'.repeat(61)}`
  assert.equal(longest.length, 253)
  for (const host of [
    `${'a'.repeat(64)}.example`,
    `${longest}a`,
    'a..example',
    '.example',
    'example.org..',
    'a!b.example',
    "it's.example",
    '-a.example',
    'a.-b.example',
    'a-.example',
    '-',
    `${'ü'.repeat(60)}.example`,
  ]) {
    assert.equal(verdict(`https://${host}/`), 'webhook_url_invalid', host)
  }
  for (const host of [
    longest,
    'my_service.example',
    '_a.example',
    'a--b.example',
    `${longest}.`,
    `${label}.example`,
    'example.org.',
    'a_b.example',
    'bücher.example',
    '9.example',
  ]) {
    assert.equal(verdict(`https://${host}/`), 'accepted', host)
  }
})
