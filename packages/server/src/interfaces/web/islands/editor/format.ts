import { EditorSelection } from '@codemirror/state'
import type { EditorView, KeyBinding } from '@codemirror/view'
import type { IconName } from '../../icon-paths.ts'
import { msg } from '../parts/t.ts'

type Format = (view: EditorView) => boolean

/** The formats of the toolbar, with their keyboard shortcuts. */
export const FORMATS: readonly {
  readonly name: string
  readonly icon: IconName
  readonly key?: string
  readonly run: Format
}[] = [
  { name: msg('Bold'), icon: 'bold', key: 'Mod-b', run: around('**') },
  { name: msg('Italic'), icon: 'italic', key: 'Mod-i', run: around('_') },
  { name: msg('Code'), icon: 'code', key: 'Mod-e', run: around('`') },
  { name: msg('Link'), icon: 'link', run: link },
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
