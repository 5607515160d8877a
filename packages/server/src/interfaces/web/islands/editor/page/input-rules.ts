import { InputRule, inputRules, textblockTypeInputRule, wrappingInputRule } from 'prosemirror-inputrules'
import type { MarkType } from 'prosemirror-model'
import { type Plugin, TextSelection } from 'prosemirror-state'
import { schema } from '../document/schema.ts'
import { findAround } from './formats.ts'

const { nodes, marks } = schema

/** Markdown that is typed by hand turns into what it means; Backspace undoes that. */
export const markdownRules: Plugin = inputRules({
  rules: [
    textblockTypeInputRule(/^(#{1,6})\s$/, nodes.heading, ([, signs = '']) => ({ level: signs.length })),
    textblockTypeInputRule(/^```([\w+#.-]*)\s$/, nodes.code_block, ([, info = '']) => ({ info })),
    wrappingInputRule(/^>\s$/, nodes.blockquote),
    wrappingInputRule(/^[-*+]\s$/, nodes.bullet_list),
    wrappingInputRule(
      /^(\d{1,9})[.)]\s$/,
      nodes.ordered_list,
      ([, number]) => ({ order: Number(number) }),
      ([, number], list) => list.childCount + list.attrs.order === Number(number),
    ),
    taskRule(),
    ruleRule(),
    markRule(/(?<![*\\])\*\*([^\s*](?:[^*]*[^\s*])?)\*\*$/, marks.strong),
    markRule(/(?<![\w_\\])__([^\s_](?:[^_]*[^\s_])?)__$/, marks.strong),
    markRule(/(?<![*\\])\*([^\s*](?:[^*]*[^\s*])?)\*$/, marks.em),
    markRule(/(?<![\w_\\])_([^\s_](?:[^_]*[^\s_])?)_$/, marks.em),
    markRule(/(?<![~\\])~~([^\s~](?:[^~]*[^\s~])?)~~$/, marks.strike),
    markRule(/(?<![`\\])`([^`]+)`$/, marks.code),
    linkRule(),
  ],
})

/** `[ ] ` at the start of an item, or of a paragraph, makes a task. */
function taskRule(): InputRule {
  return new InputRule(/^\[([ xX])\]\s$/, (state, [, sign], start, end) => {
    const { $from } = state.selection
    if ($from.parent.type !== nodes.paragraph) return null
    const isDone = sign !== ' '
    const item = findAround(state, (node) => node.type === nodes.list_item)
    const tr = state.tr.delete(start, end)
    if (item) return $from.index(item.depth) === 0 ? tr.setNodeAttribute(item.pos, 'checked', isDone) : null
    const range = tr.doc.resolve(start).blockRange()
    return range && tr.wrap(range, [{ type: nodes.bullet_list }, { type: nodes.list_item, attrs: { checked: isDone } }])
  })
}

/** `---` in a line of its own. */
function ruleRule(): InputRule {
  return new InputRule(/^(?:---|\*\*\*|___)$/, (state, _match, start) => {
    const { $from } = state.selection
    if ($from.parent.type !== nodes.paragraph || $from.parent.content.size !== $from.parentOffset) return null
    const from = state.doc.resolve(start).before()
    const tr = state.tr.replaceWith(from, $from.after(), [nodes.horizontal_rule.create(), nodes.paragraph.create()])
    return tr.setSelection(TextSelection.create(tr.doc, from + 2))
  })
}

/** Text between signs gets the mark, and what is typed after it does not. */
function markRule(pattern: RegExp, type: MarkType): InputRule {
  return new InputRule(
    pattern,
    (state, match, start, end) => {
      const [whole, text = ''] = match
      // The last sign is not in the document yet.
      const from = start + whole.indexOf(text)
      const to = from + text.length
      const tr = state.tr
      if (end > to) tr.delete(to, end)
      if (from > start) tr.delete(start, from)
      return tr.addMark(start, start + text.length, type.create()).removeStoredMark(type)
    },
    { inCodeMark: false },
  )
}

/** `[text](target)`. */
function linkRule(): InputRule {
  return new InputRule(
    /(?<![!\\])\[([^[\]]+)\]\(([^\s()<>]+)\)$/,
    (state, [, text = '', href = ''], start, end) => {
      const link = marks.link.create({ href })
      return state.tr.replaceWith(start, end, schema.text(text, [link])).removeStoredMark(marks.link)
    },
    { inCodeMark: false },
  )
}
