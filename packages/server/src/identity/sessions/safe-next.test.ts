import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyText, fc } from '../../../../../test/support/property.ts'
import { safeNext } from './safe-next.ts'

test('a path of this origin is returned with its query', () => {
  assert.equal(safeNext('/pages/docs/a%2Fb?version=2#part'), '/pages/docs/a%2Fb?version=2#part')
  assert.equal(safeNext('/'), '/')
})

test('a URL of another origin, or an invalid one, becomes the start page', () => {
  const bad = [
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example/',
    '/\t/evil.example',
    '/\n\\evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    '/%2e//evil.example',
    'javascript:alert(1)',
    'pages/x',
    '',
    undefined,
  ]
  for (const next of bad) assert.equal(safeNext(next), '/', String(next))
})

test('for any input a browser stays on the origin', () => {
  const piece = fc.constantFrom('/', '\\', '.', '..', '%2e', '\t', '\n', '@', ':', '?', '#', 'evil.example', 'http')
  const authority = fc.constantFrom('//evil.example', '//wiki.example@evil.example:8', '//[::1]', '//wiki.example')
  const next = fc.oneof(
    fc.string(),
    fc.array(piece).map((pieces) => pieces.join('')),
    fc.tuple(fc.constantFrom('http:', 'https:', ''), authority, anyText).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(next, (text) => {
      for (const candidate of [text, `/${text}`]) {
        assert.equal(new URL(safeNext(candidate), 'https://wiki.example').origin, 'https://wiki.example')
      }
    }),
    { numRuns: 2_000 },
  )
})
