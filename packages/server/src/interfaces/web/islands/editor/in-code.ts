import { syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'

const CODE = new Set(['FencedCode', 'CodeText', 'CodeBlock', 'InlineCode'])

/** Whether a position is in code, where text means itself. */
export function isInCode(state: EditorState, pos: number): boolean {
  for (let node = syntaxTree(state).resolveInner(pos, -1); ; ) {
    if (CODE.has(node.name)) return true
    if (!node.parent) return false
    node = node.parent
  }
}
