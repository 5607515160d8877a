import type { Node } from 'prosemirror-model'
import { type EditorState, Selection } from 'prosemirror-state'
import { readSource } from '../document/source.ts'
import { writeDocument } from '../document/write.ts'

/** How many characters before the caret are looked for in the text, from many to few. */
const NEAR = [20, 8, 4] as const

/** The offset of the caret in the text of the page, roughly: that of the same characters in its block. */
export function caretOffset({ doc, selection: { $head } }: EditorState): number {
  if ($head.depth === 0) return 0
  const text = writeDocument(doc)
  const blockFrom = text.length - writeDocument(doc.copy(doc.content.cut($head.before(1)))).length
  const { parent, parentOffset } = $head
  for (const length of NEAR) {
    const near = parent.textBetween(Math.max(0, parentOffset - length), parentOffset)
    const at = text.indexOf(near, blockFrom)
    if (at !== -1) return at + near.length
  }
  return blockFrom
}

/** The caret at an offset in the text from which a document was read, roughly. */
export function selectOffset(doc: Node, offset: number): Selection {
  let position = 0
  doc.descendants((node, pos) => {
    const from = readSource(node)?.from
    if (from === undefined || from > offset || node.isAtom) return from === undefined
    position = pos + 1 + (node.isTextblock ? Math.min(offset - from, node.content.size) : 0)
    return true
  })
  const $position = doc.resolve(position)
  return Selection.findFrom($position, 1, true) ?? Selection.near($position)
}
