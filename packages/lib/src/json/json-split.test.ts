import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc, rounds } from '../../../../test/support/property.ts'
import { JsonSplitError, splitJson, splitJsonBuffer } from './json-split.ts'

const options = { members: ['pages'], maxElementBytes: 10_000, maxMemberBytes: 10_000 }

function* cut(text: string, sizes: readonly number[]): Generator<Buffer> {
  const bytes = Buffer.from(text)
  let at = 0
  for (let turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    yield bytes.subarray(at, at + size)
    at += size
  }
}

async function split(text: string, sizes: readonly number[] = [text.length + 1]) {
  const members: Record<string, unknown> = {}
  const elements: unknown[] = []
  for await (const part of splitJson(cut(text, sizes), options)) {
    const value = JSON.parse(part.bytes.toString('utf8'))
    if (part.element) elements.push(value)
    else Object.defineProperty(members, part.name, { value, enumerable: true })
  }
  return { members, elements }
}

test('any document is split into its members and the elements of one member, for any chunking', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 })
  const names = fc.string().filter((name) => name !== 'pages')
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(names, fc.jsonValue(), { maxKeys: 4 }),
      fc.array(fc.jsonValue(), { maxLength: 5 }),
      fc.dictionary(names, fc.jsonValue(), { maxKeys: 2 }),
      sizes,
      fc.constantFrom(undefined, 1, '\t'),
      async (before, pages, behind, sizes, indent) => {
        const document = { ...before, pages, ...behind }
        const { members, elements } = await split(JSON.stringify(document, null, indent), sizes)
        assert.deepEqual(elements, JSON.parse(JSON.stringify(pages)))
        const others = Object.fromEntries(Object.entries(document).filter(([name]) => name !== 'pages'))
        assert.deepEqual({ ...members }, JSON.parse(JSON.stringify(others)))
      },
    ),
    { numRuns: rounds(100) },
  )
})

test('backslashes and quotes at the edge of a chunk do not end a string', async () => {
  const text = JSON.stringify({ pages: ['\\', '\\\\"', '"', '\\"]}', '', 'a\\'], rest: '\\"' })
  for (let size = 1; size < 8; size++) {
    const { members, elements } = await split(text, [size])
    assert.deepEqual(elements, ['\\', '\\\\"', '"', '\\"]}', '', 'a\\'])
    assert.deepEqual({ ...members }, { rest: '\\"' })
  }
})

test('a document in memory is split in the same way', () => {
  const parts = [...splitJsonBuffer(Buffer.from('\ufeff{"a": 1, "pages": [2, [3]]}'), options)]
  assert.deepEqual(
    parts.map(({ name, element, bytes }) => [name, element, bytes.toString()]),
    [
      ['a', false, '1'],
      ['pages', true, '2'],
      ['pages', true, '[3]'],
    ],
  )
})

test('invalid grammar around the values is rejected', async () => {
  const broken = [
    '',
    '[]',
    '{',
    '{"pages"',
    '{"pages":',
    '{"pages":[',
    '{"pages":[1',
    '{"pages":[1,',
    '{"pages":[1,]}',
    '{"pages":[,1]}',
    '{"pages":[1 2]}',
    '{"pages":[1]',
    '{"pages":[1],}',
    '{"pages":[1]}x',
    '{"pages":[1]}{}',
    '{"pages":{}}',
    '{"pages":null}',
    '{"a":1 "pages":[]}',
    '{"a" 1}',
    '{a:1}',
    '{"a":}',
    '{,}',
    '{"a":1,"a":2}',
    '{"pages":[],"pages":[]}',
    '{"a":"x',
    '{"\\x":1}',
  ]
  for (const text of broken) await assert.rejects(split(text), JsonSplitError, text)
})

test('a value beyond its limit is rejected before it is buffered', async () => {
  async function* endless(): AsyncGenerator<Buffer> {
    yield Buffer.from('{"pages":["')
    for (;;) yield Buffer.alloc(1_000, 'x')
  }
  await assert.rejects(async () => {
    for await (const _ of splitJson(endless(), options)) assert.fail('there is no whole element')
  }, /larger than 10000 bytes/)
})
