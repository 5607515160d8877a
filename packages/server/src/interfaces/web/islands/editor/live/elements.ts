import { syntaxTree } from '@codemirror/language'
import type { Range } from '@codemirror/state'
import { Decoration, type DecorationSet, type EditorView } from '@codemirror/view'
import type { SyntaxNodeRef } from '@lezer/common'
import { createCanvas, type ImageUrl } from './canvas.ts'
import { frontMatterEnd } from './front-matter.ts'
import { RULES } from './rules.ts'

/** The decorations of the visible text. */
export function decorate(view: EditorView, imageUrl: ImageUrl): DecorationSet {
  const ranges: Range<Decoration>[] = []
  const tree = syntaxTree(view.state)
  const start = frontMatterEnd(view.state.doc)
  let done = 0
  for (const { from, to } of view.visibleRanges) {
    const canvas = createCanvas(view, imageUrl, { from: Math.max(from, done), to, ranges })
    if (from < start) canvas.lines(0, start, 'live-pre')
    // Of front matter the tree makes a rule and a heading.
    const enter = (node: SyntaxNodeRef) => (node.from < start ? undefined : RULES[node.name]?.(node, canvas))
    tree.iterate({ from, to, enter })
    done = Math.max(done, to)
  }
  return Decoration.set(ranges, true)
}
