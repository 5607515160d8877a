import { EditorSelection } from '@codemirror/state'
import type { EditorView, KeyBinding } from '@codemirror/view'

type Format = (view: EditorView) => boolean

/** The formats of the toolbar, with their keyboard shortcuts. */
export const FORMATS: readonly {
  readonly name: string
  readonly label: string
  readonly key?: string
  readonly run: Format
}[] = [
  { name: 'Bold', label: 'B', key: 'Mod-b', run: around('**') },
  { name: 'Italic', label: 'I', key: 'Mod-i', run: around('_') },
  { name: 'Code', label: '</>', key: 'Mod-e', run: around('`') },
  { name: 'Link', label: 'Link', run: link },
  { name: 'Heading', label: 'H', run: before('## ') },
  { name: 'List', label: '•', key: 'Mod-Shift-8', run: before('- ') },
  { name: 'Tasks', label: '☐', run: before('- [ ] ') },
  { name: 'Quotation', label: '❝', run: before('> ') },
]

export const formatKeys: readonly KeyBinding[] = FORMATS.flatMap(({ key, run }) =>
  key === undefined ? [] : [{ key, run, preventDefault: true }],
)

/** Toggles markers around each selection. */
function around(mark: string): Format {
  return (view) => {
    const { state } = view
    const width = mark.length
    const changes = state.changeByRange(({ from, to }) => {
      const isMarked =
        state.sliceDoc(from - width, from) === mark && state.sliceDoc(to, to + width) === mark && from >= width
      if (isMarked) {
        return {
          changes: [
            { from: from - width, to: from },
            { from: to, to: to + width },
          ],
          range: EditorSelection.range(from - width, to - width),
        }
      }
      return {
        changes: [
          { from, insert: mark },
          { from: to, insert: mark },
        ],
        range: EditorSelection.range(from + width, to + width),
      }
    })
    view.dispatch(state.update(changes, { userEvent: 'input', scrollIntoView: true }))
    view.focus()
    return true
  }
}

/** Toggles a prefix of each selected line. */
function before(mark: string): Format {
  return (view) => {
    const { state } = view
    const { from, to } = state.selection.main
    const lines = []
    for (let at = state.doc.lineAt(from); ; at = state.doc.line(at.number + 1)) {
      lines.push(at)
      if (at.to >= to) break
    }
    const all = lines.every(({ text }) => text.startsWith(mark))
    view.dispatch({
      changes: lines.map((line) =>
        all ? { from: line.from, to: line.from + mark.length } : { from: line.from, insert: mark },
      ),
      userEvent: 'input',
      scrollIntoView: true,
    })
    view.focus()
    return true
  }
}

/** Turns the selection into a link; `[[` starts the completion of titles. */
function link(view: EditorView): boolean {
  const { from, to, empty } = view.state.selection.main
  const insert = empty ? '[[' : `[${view.state.sliceDoc(from, to)}](`
  view.dispatch({
    changes: { from, to, insert: empty ? insert : `${insert})` },
    selection: { anchor: from + insert.length },
    userEvent: 'input.type',
  })
  view.focus()
  return true
}
