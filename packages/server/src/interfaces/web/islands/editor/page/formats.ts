import { autoJoin, lift, setBlockType, wrapIn } from 'prosemirror-commands'
import type { Attrs, Node, NodeType } from 'prosemirror-model'
import { liftListItem, sinkListItem, wrapInList } from 'prosemirror-schema-list'
import { type Command, type EditorState, Selection, TextSelection, type Transaction } from 'prosemirror-state'
import type { IconName } from '../../../icon-paths.ts'
import { msg } from '../../parts/t.ts'
import { schema } from '../document/schema.ts'

const { nodes, marks } = schema

/** The marks of the toolbar, with their keys. */
export const MARKS = [
  { name: msg('Bold'), icon: 'bold', key: 'Mod-b', type: marks.strong },
  { name: msg('Italic'), icon: 'italic', key: 'Mod-i', type: marks.em },
  { name: msg('Code'), icon: 'code', key: 'Mod-e', type: marks.code },
  { name: msg('Strikethrough'), icon: 'strike', key: 'Mod-Shift-x', type: marks.strike },
] as const

/** A kind of block that the caret's block can become. */
export interface BlockFormat {
  readonly name: string
  /** Of those that have a button in the toolbar. */
  readonly icon?: IconName
  readonly key?: string
  readonly run: Command
}

/** Turns the blocks of the selection into another kind, and back where they have it already. */
export const BLOCKS: readonly BlockFormat[] = [
  { name: msg('Text'), key: 'Mod-Alt-0', run: setBlockType(nodes.paragraph) },
  ...[msg('Heading 1'), msg('Heading 2'), msg('Heading 3')].map((name, index) => ({
    name,
    key: `Mod-Alt-${index + 1}`,
    run: toggleBlock(nodes.heading, { level: index + 1 }),
  })),
  { name: msg('List'), icon: 'bullets', key: 'Mod-Shift-8', run: toggleList(nodes.bullet_list, null) },
  { name: msg('Numbered list'), icon: 'numbers', key: 'Mod-Shift-7', run: toggleList(nodes.ordered_list, null) },
  { name: msg('Tasks'), icon: 'tasks', key: 'Mod-Shift-9', run: toggleList(nodes.bullet_list, false) },
  { name: msg('Indent'), icon: 'indent', run: sinkListItem(nodes.list_item) },
  { name: msg('Outdent'), icon: 'outdent', run: liftListItem(nodes.list_item) },
  { name: msg('Quotation'), icon: 'quotation', run: toggleWrap(nodes.blockquote) },
  { name: msg('Code block'), run: toggleBlock(nodes.code_block) },
]

/** A textblock that has this kind already becomes a paragraph. */
function toggleBlock(type: NodeType, attrs?: Attrs): Command {
  return (state, dispatch) => {
    const { parent } = state.selection.$from
    const isSame = parent.type === type && (attrs?.level === undefined || parent.attrs.level === attrs.level)
    return isSame ? setBlockType(nodes.paragraph)(state, dispatch) : setBlockType(type, attrs)(state, dispatch)
  }
}

function toggleWrap(type: NodeType, attrs?: Attrs): Command {
  return (state, dispatch) =>
    findAround(state, (node) => node.type === type) ? lift(state, dispatch) : wrapIn(type, attrs)(state, dispatch)
}

/** The innermost node around the selection that meets a condition, with its position. */
export function findAround({ selection: { $from } }: EditorState, meets: (node: Node) => boolean) {
  for (let depth = $from.depth; depth > 0; depth--) {
    const node = $from.node(depth)
    if (meets(node)) return { node, pos: $from.before(depth), depth }
  }
  return undefined
}

/** A list of another kind changes its kind; its items become tasks or plain ones, and a list of this kind ends. */
function toggleList(type: NodeType, checked: boolean | null): Command {
  const toggle: Command = (state, dispatch) => {
    const list = findAround(state, (node) => node.type === nodes.bullet_list || node.type === nodes.ordered_list)
    const item = findAround(state, (node) => node.type === nodes.list_item)
    if (!list || !item) return wrap(type, checked)(state, dispatch)
    const isTask = item.node.attrs.checked !== null
    if (list.node.type === type && isTask === (checked !== null)) return liftListItem(nodes.list_item)(state, dispatch)
    if (!dispatch) return true
    const { tr } = state
    if (list.node.type !== type) tr.setNodeMarkup(list.pos, type, {})
    const { from, to } = state.selection
    list.node.forEach((each, offset) => {
      const pos = list.pos + 1 + offset
      if (pos < to && pos + each.nodeSize > from) tr.setNodeAttribute(pos, 'checked', checked)
    })
    dispatch(tr.scrollIntoView())
    return true
  }
  // The lists above and below go on.
  return autoJoin(toggle, (before, after) => before.type === after.type && before.type === type)
}

function wrap(type: NodeType, checked: boolean | null): Command {
  return (state, dispatch) => {
    // An item has text first: a heading becomes one.
    let start = state
    let headings: Transaction | undefined
    setBlockType(nodes.paragraph)(state, (tr) => {
      headings = tr
      start = state.apply(tr)
    })
    return wrapInList(type)(
      start,
      dispatch &&
        ((tr) => {
          const whole = headings ?? state.tr
          for (const step of tr.steps) whole.step(step)
          if (checked !== null) tickNewItems(whole, checked)
          dispatch(whole.scrollIntoView())
        }),
    )
  }
}

function tickNewItems(tr: Transaction, checked: boolean): void {
  const { from, to } = tr.selection
  tr.doc.nodesBetween(from, to, (node, pos) => {
    if (node.type === nodes.list_item) tr.setNodeAttribute(pos, 'checked', checked)
  })
}

/** Inserts a block below that of the caret, or in place of an empty paragraph, with the caret in it. */
export function insertBlock(block: Node): Command {
  return (state, dispatch) => {
    const { $from } = state.selection
    const isEmpty = $from.parent.type === nodes.paragraph && $from.parent.content.size === 0
    const from = isEmpty ? $from.before() : findGap(state, block)
    const tr = state.tr.replaceWith(from, isEmpty ? $from.after() : from, block)
    dispatch?.(tr.setSelection(Selection.near(tr.doc.resolve(from + 1))).scrollIntoView())
    return true
  }
}

/** The end of the innermost block after which there may be another one. */
function findGap({ selection: { $to }, doc }: EditorState, block: Node): number {
  for (let depth = $to.depth; depth > 0; depth--) {
    const index = $to.indexAfter(depth - 1)
    if ($to.node(depth - 1).canReplaceWith(index, index, block.type)) return $to.after(depth)
  }
  return doc.content.size
}

/** Links the selection, or removes its link where the target is empty; the caret goes after it. */
export function setLink(href: string): Command {
  return (state, dispatch) => {
    const { from, to } = linkRange(state)
    if (from === to) return false
    const tr = state.tr.removeMark(from, to, marks.link)
    if (href !== '') tr.addMark(from, to, marks.link.create({ href }))
    dispatch?.(tr.setSelection(TextSelection.create(tr.doc, to)).removeStoredMark(marks.link))
    return true
  }
}

/** The selection, or the whole link at the caret. */
export function linkRange({ selection, doc }: EditorState): { from: number; to: number; href: string } {
  const { $from, from, to, empty } = selection
  const at = (pos: number) => marks.link.isInSet(doc.resolve(pos).marks())
  const link = empty ? marks.link.isInSet($from.marks()) : (at(from + 1) ?? at(to))
  if (!link || !empty || !(selection instanceof TextSelection))
    return { from, to, href: String(link?.attrs.href ?? '') }
  const start = $from.start()
  let [begin, end] = [from, to]
  $from.parent.forEach((node, offset) => {
    if (!link.isInSet(node.marks)) return
    const pos = start + offset
    if (pos <= from && pos + node.nodeSize >= from) [begin, end] = [pos, pos + node.nodeSize]
  })
  return { from: begin, to: end, href: String(link.attrs.href) }
}
