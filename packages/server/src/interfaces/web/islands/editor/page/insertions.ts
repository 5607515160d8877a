import { Fragment } from 'prosemirror-model'
import { type Command, TextSelection } from 'prosemirror-state'
import { msg } from '../../parts/t.ts'
import { schema } from '../document/schema.ts'
import { BLOCKS, insertBlock } from './formats.ts'
import { insertTable } from './table-menu.ts'

const { nodes } = schema

interface Insertion {
  readonly name: string
  /** The Markdown that does the same. */
  readonly sign: string
  readonly run: Command
}

const SIGNS: Readonly<Record<string, string>> = {
  'Heading 1': '#',
  'Heading 2': '##',
  'Heading 3': '###',
  List: '-',
  'Numbered list': '1.',
  Tasks: '- [ ]',
  Quotation: '>',
  'Code block': '```',
}

const paragraph = nodes.paragraph.create()
const DIAGRAM = 'graph TD\n  A[Begin] --> B[End]'

/** What the menu inserts. */
export const INSERTIONS: readonly Insertion[] = [
  { name: msg('Table'), sign: '| |', run: insertTable },
  ...[msg('Note'), msg('Tip'), msg('Important'), msg('Warning'), msg('Caution')].map((name) => ({
    name,
    sign: `[!${name.toUpperCase()}]`,
    run: insertBlock(nodes.alert.create({ kind: name.toLowerCase() }, paragraph)),
  })),
  { name: msg('Divider'), sign: '---', run: insertRule },
  {
    name: msg('Details'),
    sign: '<details>',
    run: insertBlock(nodes.details.create({ open: false }, [nodes.summary.create(), paragraph])),
  },
  { name: msg('Formula'), sign: '$$', run: insertBlock(nodes.formula_block.create()) },
  {
    name: msg('Diagram'),
    sign: 'mermaid',
    run: insertBlock(nodes.code_block.create({ info: 'mermaid' }, schema.text(DIAGRAM))),
  },
  { name: msg('Link to a page'), sign: '[[', run: typeText('[[') },
  { name: msg('File of the space'), sign: '![[', run: typeText('![[') },
]

/** What `/` offers. */
export const SLASH_INSERTIONS: readonly Insertion[] = [
  ...BLOCKS.flatMap(({ name, run }) => (SIGNS[name] === undefined ? [] : [{ name, sign: SIGNS[name], run }])),
  ...INSERTIONS,
]

/** A rule, and a paragraph to go on in. */
function insertRule(...[state, dispatch]: Parameters<Command>): boolean {
  const { $from } = state.selection
  if ($from.depth === 0) return false
  const isEmpty = $from.parent.type === nodes.paragraph && $from.parent.content.size === 0
  const from = isEmpty ? $from.before() : $from.after()
  const rule = Fragment.from([nodes.horizontal_rule.create(), paragraph])
  const tr = state.tr.replaceWith(from, $from.after(), rule)
  dispatch?.(tr.setSelection(TextSelection.create(tr.doc, from + 2)).scrollIntoView())
  return true
}

/** Inserts text as if it were typed. */
export function typeText(text: string): Command {
  return (state, dispatch) => {
    dispatch?.(state.tr.insertText(text).scrollIntoView())
    return true
  }
}
