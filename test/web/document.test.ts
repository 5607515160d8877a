import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readDocument } from '../../packages/server/src/interfaces/web/islands/editor/document/parse.ts'
import { writeDocument } from '../../packages/server/src/interfaces/web/islands/editor/document/write.ts'
import { fc, rounds } from '../support/property.ts'
import { anyDocument, anyMarkdown, describeDocument } from './documents.ts'

test('a document that is written is read as the same', () => {
  fc.assert(
    fc.property(anyDocument, (doc) => {
      const text = writeDocument(doc)
      assert.equal(describeDocument(readDocument(text)), describeDocument(doc), text)
    }),
    { numRuns: rounds(300) },
  )
})

test('a page that is read and written keeps each byte', () => {
  fc.assert(
    fc.property(anyMarkdown, (text) => assert.equal(writeDocument(readDocument(text)), text)),
    { numRuns: rounds(1000) },
  )
})
