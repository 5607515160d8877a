import { insertNewlineContinueMarkupCommand } from '@codemirror/lang-markdown'
import type { Command } from '@codemirror/view'
import { isInCode } from './in-code.ts'

const EMPTY_ITEM = /^(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s*)?$/

/** CodeMirror would put an empty line between the items instead of ending the list. */
const continueMarkup = insertNewlineContinueMarkupCommand({ nonTightLists: false })

/**
 * Enter continues a list, and on an empty item ends it. What follows gets a blank line before it, or it would belong to
 * the last item.
 */
export const continueList: Command = (view) => {
  const { state } = view
  const { main, ranges } = state.selection
  const line = state.doc.lineAt(main.head)
  const isEnd = ranges.length === 1 && main.empty && main.head === line.to
  if (!isEnd || !EMPTY_ITEM.test(line.text) || isInCode(state, main.head)) return continueMarkup(view)
  const above = line.number === 1 ? '' : state.doc.line(line.number - 1).text.trim()
  const insert = above === '' ? '' : '\n'
  view.dispatch({
    changes: { from: line.from, to: line.to, insert },
    selection: { anchor: line.from + insert.length },
    userEvent: 'input',
    scrollIntoView: true,
  })
  return true
}
