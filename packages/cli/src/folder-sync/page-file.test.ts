import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc, rounds } from '../../../../test/support/property.ts'
import { joinPageFile, splitPageFile, UnsyncableFileError } from './page-file.ts'

const line = fc.constantFrom(
  '---',
  '...',
  '',
  'title: x',
  'metadata: {}',
  'metadata:',
  '  a: 1',
  'metadata: text',
  '# Text',
  '- a',
  '\uFEFF---',
  'metadata: [',
)
const body = fc
  .tuple(fc.array(line, { maxLength: 8 }), fc.constantFrom('\n', '\r\n'), fc.boolean())
  .map(([lines, end, ended]) => lines.join(end) + (ended ? end : ''))
const metadata = fc
  .dictionary(
    fc.string({ minLength: 1, maxLength: 12 }),
    fc.jsonValue({ maxDepth: 2 }).filter((value) => value !== null),
    { maxKeys: 3 },
  )
  .map((values) => JSON.parse(JSON.stringify(values)) as Record<string, unknown>)

test('any Markdown and any metadata come back from the file', () => {
  fc.assert(
    fc.property(body, metadata, (body, metadata) => {
      const split = splitPageFile(joinPageFile({ body, metadata }))
      assert.equal(split.body, body)
      assert.deepEqual({ ...split.metadata }, { ...metadata })
    }),
    { numRuns: rounds(200) },
  )
})

test('metadata is added to the front matter of the page, or is the whole of it', () => {
  assert.equal(joinPageFile({ body: '# A\n', metadata: {} }), '# A\n')
  assert.equal(joinPageFile({ body: '# A\n', metadata: { tags: ['x'] } }), '---\nmetadata:\n  tags: ["x"]\n---\n# A\n')
  const file = '---\ntitle: A\nmetadata:\n  due: "2026-01-01"\n---\ntext'
  assert.equal(joinPageFile({ body: '---\ntitle: A\n---\ntext', metadata: { due: '2026-01-01' } }), file)
})

test('metadata that people write in YAML is read, and text that is not YAML is a problem of the file', () => {
  const file = '---\nmetadata:\n  tags:\n    - a\n    - b\n  note: >\n    two\n\n    lines\ntitle: A\n---\ntext'
  assert.deepEqual(splitPageFile(file), {
    body: '---\ntitle: A\n---\ntext',
    metadata: { tags: ['a', 'b'], note: 'two\nlines\n' },
  })
  assert.throws(() => splitPageFile('---\nmetadata:\n  a: [1\n---\n'), UnsyncableFileError)
})
