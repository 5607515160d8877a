import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyText, fc } from '../../../../test/support/property.ts'
import { formatEtag, noneMatch, parseIfMatch } from './header-values.ts'

test('an ETag contains the version, and the representation if there are several', () => {
  assert.equal(formatEtag(7), '"7"')
  assert.equal(formatEtag(7, 'json'), '"7-json"')
})

test('If-Match compares the version, also of ETags that clients and proxies have changed', () => {
  const cases: readonly (readonly [string, '*' | readonly number[]])[] = [
    ['"7"', [7]],
    ['7', [7]],
    ['W/"7"', [7]],
    ['w/"7"', [7]],
    ['W/7', [7]],
    [' "7" ', [7]],
    ['"7-gzip"', [7]],
    ['"7--gzip"', [7]],
    ['"7;gzip"', [7]],
    ['"7"-gzip', [7]],
    ['"7-json"', [7]],
    ['"7-sT_3-x0"', [7]],
    ['"7-a,b"', [7]],
    ['"6", W/"7-json" ,8', [6, 7, 8]],
    ['"6",,"7",', [6, 7]],
    ['"0"', [0]],
    ['"2147483647"', [2147483647]],
    ['*', '*'],
    [' * ', '*'],
    ['"7", *', '*'],
    ['*, "7"', '*'],
    ['"junk", "7"', [7]],
  ]
  for (const [header, expected] of cases) assert.deepEqual(parseIfMatch(header), expected, header)
})

test('an ETag without a version matches nothing', () => {
  const headers = [
    ...['', ' ', ',', '""', '"', '"*"', 'W/', 'W/*', 'abc', '"abc"', '"v7"', 'x7', '"x7"', '"-7"', '"07"', '"7.0"'],
    ...[
      '"7',
      '7"',
      '"7"8',
      '"7" "8"',
      '7 8',
      '"7-"',
      '"2147483648"',
      '"99999999999999999999"',
      '"7e1"',
      '"0x7"',
      '"W/7"',
    ],
  ]
  for (const header of headers) assert.deepEqual(parseIfMatch(header), [], header)
})

test('parsing never throws, and finds every version that is listed', () => {
  fc.assert(fc.property(anyText, (header) => void parseIfMatch(header)))
  const member = fc.tuple(fc.nat(2 ** 31 - 1), fc.constantFrom('"#"', '#', 'W/"#"', '"#-json"', '"#-gzip"', '"#-a,b"'))
  fc.assert(
    fc.property(fc.array(member), (members) => {
      const header = members.map(([version, form]) => form.replace('#', String(version))).join(', ')
      assert.deepEqual(
        parseIfMatch(header),
        members.map(([version]) => version),
      )
    }),
  )
})

test('hostile headers take linear time', () => {
  for (const unit of ['"', ',', 'W/', '"7', ' ', '"7-gzip', '-gzip', '7', '\t,']) {
    const header = unit.repeat(200_000)
    const start = performance.now()
    parseIfMatch(header)
    noneMatch(header, '"7"')
    assert.ok(performance.now() - start < 1000, `${unit}: ${performance.now() - start} ms`)
  }
})

test('If-None-Match matches if one of its ETags is that of the representation', () => {
  const same = ['"7-json"', 'W/"7-json"', '7-json', '"7-json-gzip"', '"7-json--gzip"', '"7-json;br"', '"7-json"-gzip']
  const lists = ['*', '"1", "7-json"', ' "7-json" ,"1"', '"1", *', '"7-json-br-gzip"']
  for (const header of [...same, ...lists]) {
    assert.equal(noneMatch(header, '"7-json"'), false, header)
  }
})

test('If-None-Match does not match ETags of other versions and other representations', () => {
  const other = [
    '',
    '"7"',
    '"8-json"',
    '"7-jso"',
    '"7-json-x"',
    '"7-json',
    '"7-json"x',
    '"*"',
    '"7-JSON"',
    '"17-json"',
    '"junk, *',
  ]
  for (const header of other) assert.equal(noneMatch(header, '"7-json"'), true, header)
  assert.equal(noneMatch('"7-json"', '"7"'), true)
  assert.equal(noneMatch('"7-gzip"', '"7"'), false)
})

test('a representation always matches its own ETag', () => {
  const variant = fc.option(fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/), { nil: undefined })
  fc.assert(
    fc.property(fc.nat(), variant, (version, variant) => {
      const tag = formatEtag(version, variant)
      assert.equal(noneMatch(tag, tag), false)
      assert.deepEqual(parseIfMatch(tag), version <= 2 ** 31 - 1 ? [version] : [])
    }),
  )
})
