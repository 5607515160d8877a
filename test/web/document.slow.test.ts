import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Node } from 'prosemirror-model'
import { Transform } from 'prosemirror-transform'
import { readDocument } from '../../packages/server/src/interfaces/web/islands/editor/document/parse.ts'
import { schema } from '../../packages/server/src/interfaces/web/islands/editor/document/schema.ts'
import { readSource } from '../../packages/server/src/interfaces/web/islands/editor/document/source.ts'
import { writeDocument } from '../../packages/server/src/interfaces/web/islands/editor/document/write.ts'
import { CORPORA, corporaMissing, corpusFiles } from '../support/corpora.ts'
import { rounds } from '../support/property.ts'
import { describeDocument } from './documents.ts'

/** What is typed: text, and what could mean something. */
const TYPED = [' word ', 'x', '*', '_a_', '[x]', '1. ', '# ', '<b>', '`', '- ', '|', 'http://a.bc', '&amp;', '$', '\\']

test('real pages keep their bytes, and what is typed changes only the lines of its block', {
  skip: corporaMissing,
}, () => {
  const pages = CORPORA.flatMap((corpus) => [...corpusFiles(corpus)])
  const step = Math.max(1, Math.round(5 / rounds(1)))
  for (const [index, [path, bytes]] of pages.entries()) {
    const page = bytes.toString()
    const doc = readDocument(page)
    assert.equal(writeDocument(doc), page, path)
    if (index % step === 0) checkTyping(page, doc, { path, index })
  }
})

function checkTyping(
  page: string,
  doc: Node,
  { path, index }: { readonly path: string; readonly index: number },
): void {
  const blocks: { readonly node: Node; readonly from: number }[] = []
  doc.descendants((node, from) => {
    if (node.isTextblock && readSource(node)) blocks.push({ node, from })
  })
  const block = blocks[(index * 7919) % blocks.length]
  if (!block) return
  const at = block.from + 1 + ((index * 31) % (block.node.content.size + 1))
  const marks = block.node.type.spec.code ? [] : doc.resolve(at).marks()
  const changedDoc = new Transform(doc).insert(at, schema.text(TYPED[index % TYPED.length] ?? 'x', marks)).doc
  const text = writeDocument(changedDoc)
  const { from, to } = readSource(block.node) ?? { from: 0, to: 0 }
  const firstLine = page.slice(0, page.lastIndexOf('\n', from - 1) + 1)
  const rest = page.slice(page.indexOf('\n', to) === -1 ? page.length : page.indexOf('\n', to))
  assert.ok(text.startsWith(firstLine) && text.endsWith(rest), `${path} changes elsewhere`)
  assert.equal(describeDocument(readDocument(text)), describeDocument(changedDoc), path)
}
