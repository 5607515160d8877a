import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fragment } from 'prosemirror-model'
import { Transform } from 'prosemirror-transform'
import { readDocument } from '../../packages/server/src/interfaces/web/islands/editor/document/parse.ts'
import { schema } from '../../packages/server/src/interfaces/web/islands/editor/document/schema.ts'
import { writeDocument } from '../../packages/server/src/interfaces/web/islands/editor/document/write.ts'
import { fc, rounds } from '../support/property.ts'
import { anyDocument, anyMarkdown, describeDocument } from './documents.ts'

test('a document that is written is read as the same', () => {
  fc.assert(
    fc.property(anyDocument, (doc) => {
      const text = writeDocument(doc)
      assert.equal(describeDocument(readDocument(text)), describeDocument(doc), text)
    }),
    { numRuns: rounds(150) },
  )
})

test('a page that is read and written keeps each byte', () => {
  fc.assert(
    fc.property(anyMarkdown, (text) => assert.equal(writeDocument(readDocument(text)), text)),
    { numRuns: rounds(3000) },
  )
})

/** Writes a page after a change to the first node of a type for which the condition holds. */
function change(
  markdown: string,
  type: string,
  edit: (tr: Transform, at: { readonly from: number; readonly to: number }) => void,
  matches: (text: string) => boolean = () => true,
): string {
  const doc = readDocument(markdown)
  const tr = new Transform(doc)
  doc.descendants((node, from) => {
    if (node.type.name !== type || tr.docChanged || !matches(node.textContent)) return
    edit(tr, { from, to: from + node.nodeSize })
  })
  const text = writeDocument(tr.doc)
  assert.equal(describeDocument(readDocument(text)), describeDocument(tr.doc))
  return text
}

test('one tick in a list changes one line', () => {
  const page = `Tasks\r\n\r\n${Array.from({ length: 200 }, (_, index) => `${' '.repeat(index % 2)}*   [ ] task _${index}_\r\n`).join('')}`
  const tickedText = change(
    page,
    'list_item',
    (tr, { from }) => tr.setNodeMarkup(from, null, { ...tr.doc.nodeAt(from)?.attrs, checked: true }),
    (text) => text.includes('100'),
  )
  assert.equal(tickedText, page.replace('[ ] task _100_', '[x] task _100_'))
  // However it is written.
  for (const list of ['[x]\n\t- [ ] in', '[ ]\n  a\n  - [ ] b', '[ ]  \n  - [ ] ', '[ ] \n\n    a', '\n   1. [ ] a']) {
    const text = `- ${list}\n- [ ] last\n`
    const doc = readDocument(text)
    doc.descendants(({ type, attrs }, pos) => {
      if (type !== schema.nodes.list_item || attrs.checked === null) return
      const lines = writeDocument(new Transform(doc).setNodeAttribute(pos, 'checked', !attrs.checked).doc).split('\n')
      const before = text.split('\n')
      assert.equal(lines.length, before.length, text)
      assert.equal(lines.filter((line, index) => line !== before[index]).length, 1, text)
    })
  }
})

test('a changed block is written in the style of the page, and nothing else moves', () => {
  const insert = (text: string) => (tr: Transform, at: { readonly from: number }) => {
    tr.insert(at.from + 1, schema.text(text))
  }
  const page =
    '---\na: 1\n---\n\n\nTitle\n=====\n\nOne *two*  \nthree [four]\n\n\n[four]: /x\n\n| a  | b |\n|:---|--:|\n| cc | d |\n~~~ts\nx\n~~~'
  const cases: [type: string, inserted: string, from: string, to: string][] = [
    ['heading', '# ', 'Title\n=====', '\\# Title\n========'],
    ['paragraph', '- ', 'One *two*', '\\- One *two*'],
    ['table_cell', '|', '| cc |', '| \\|cc |'],
    ['table_header', 'x', '| a  |', '| xa |'],
    ['code_block', '~~~\n', '~~~ts\nx\n~~~', '~~~~ts\n~~~\nx\n~~~~'],
  ]
  assert.equal(
    change('|a|\n|-|\n|b|', 'table_cell', (tr, { to }) => tr.insert(to - 1, schema.text('\\'))),
    '|a|\n|-|\n|b\\\\ |',
  )
  for (const [type, text, from, to] of cases) assert.equal(change(page, type, insert(text)), page.replace(from, to))
})

test('blocks that are moved keep their bytes, and undone changes give the page again', () => {
  const page = '* one\n\n+ two\n\n   three   \n    lazy\n\n> a\nb\n'
  const doc = readDocument(page)
  const [first, ...others] = doc.children
  assert.ok(first)
  const movedText = writeDocument(doc.copy(Fragment.from([...others, first])))
  assert.equal(movedText, '+ two\n\n   three   \n    lazy\n\n> a\nb\n\n* one\n')
  const tr = new Transform(doc).insert(3, schema.text('x'))
  const undo = tr.steps[0]?.invert(doc)
  assert.ok(undo)
  tr.step(undo)
  assert.equal(writeDocument(tr.doc), page)
})

test('lists beside each other stay two', () => {
  const page = '- a\n\ntext\n\n- b\n'
  assert.equal(
    change(
      page,
      'paragraph',
      (tr, { from, to }) => tr.delete(from, to),
      (text) => text === 'text',
    ),
    '- a\n\n* b\n',
  )
})
