import { type Completion, type CompletionSource, snippet, startCompletion } from '@codemirror/autocomplete'
import { isInCode } from './in-code.ts'

/** What `/` offers at the start of a line, as snippets: `#{}` is a place for the caret. */
const BLOCKS: readonly (readonly [name: string, template: string, detail: string])[] = [
  ['Heading 1', '# #{}', '#'],
  ['Heading 2', '## #{}', '##'],
  ['Heading 3', '### #{}', '###'],
  ['List', '- #{}', '-'],
  ['Numbered list', '1. #{}', '1.'],
  ['Task list', '- [ ] #{}', '- [ ]'],
  ['Quotation', '> #{}', '>'],
  ['Table', '| #{Column 1} | #{Column 2} |\n| --- | --- |\n| #{} |  |', '| |'],
  ['Code block', '```#{language}\n#{}\n```', '```'],
  ['Note', '> [!NOTE]\n> #{}', '[!NOTE]'],
  ['Warning', '> [!WARNING]\n> #{}', '[!WARNING]'],
  ['Divider', '***\n#{}', '***'],
  ['Formula', '$$\n#{}\n$$', '$$'],
  ['Diagram', '```mermaid\ngraph TD\n  A[#{Begin}] --> B[#{End}]\n```', 'mermaid'],
]
/** In an item of a list or a quotation as well. */
const SLASH = /^\s*(?:(?:[-*+>]|\d+[.)])\s+)*\/([\p{L}\d ]{0,20})$/u

/** The slash menu: inserts blocks. */
export const insertMenu: CompletionSource = (context) => {
  const line = context.state.doc.lineAt(context.pos)
  const typedText = SLASH.exec(line.text.slice(0, context.pos - line.from))?.[1]
  if (typedText === undefined || isInCode(context.state, context.pos)) return null
  return { from: context.pos - typedText.length, options: OPTIONS, validFor: /^[\p{L}\d ]*$/u }
}

const OPTIONS: readonly Completion[] = [
  ...BLOCKS.map(([label, template, detail], index): Completion => {
    const insert = snippet(template)
    // From the slash on.
    // Completions with equal matches are in the order of the list, not of the alphabet.
    return {
      label,
      detail,
      boost: -index,
      apply: (view, option, from, to) => insert(view, option, from - 1, to),
    }
  }),
  {
    label: 'Link to a page',
    detail: '[[',
    boost: -BLOCKS.length,
    apply(view, _option, from, to) {
      view.dispatch({
        changes: { from: from - 1, to, insert: '[[' },
        selection: { anchor: from + 1 },
        userEvent: 'input.complete',
      })
      startCompletion(view)
    },
  },
]
