import { Annotation, type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'

/** A place in the text, which is tracked while the text around it changes. */
interface Place {
  readonly id: number
  readonly at: number
}

const mark = StateEffect.define<Place>()
const forget = StateEffect.define<number>()
/** The inserted text, by the id of its place. */
const inserted = Annotation.define<number>()

const places = StateField.define<ReadonlyMap<number, number>>({
  create: () => new Map(),
  update(before, transaction) {
    const own = transaction.annotation(inserted)
    const after = new Map<number, number>()
    for (const [id, at] of before) {
      // Of several texts at the same place, those with lower ids come first.
      after.set(id, transaction.changes.mapPos(at, own !== undefined && id < own ? -1 : 1))
    }
    for (const effect of transaction.effects) {
      if (effect.is(mark)) after.set(effect.value.id, effect.value.at)
      if (effect.is(forget)) after.delete(effect.value)
    }
    return after
  },
})

/** Tracks places for later insertions: at one place, lower ids come first. */
export const insertPlaces: Extension = places

export function markPlace(view: EditorView, id: number, at: number): void {
  view.dispatch({ effects: mark.of({ id, at }) })
}

export function forgetPlace(view: EditorView, id: number): void {
  view.dispatch({ effects: forget.of(id) })
}

/** Inserts a text at its place, on a separate line if `isSeparate`. A caret at this place moves after it. */
export function insertAt(view: EditorView, id: number, text: string, isSeparate: boolean): void {
  const { state } = view
  const at = state.field(places).get(id) ?? state.selection.main.head
  const insert = isSeparate && !beginsLine(state, at) ? `\n${text}` : text
  const { main } = state.selection
  view.dispatch({
    changes: { from: at, insert },
    ...(main.empty && main.head === at && { selection: { anchor: at + insert.length } }),
    annotations: inserted.of(id),
    effects: forget.of(id),
    userEvent: 'input.paste',
  })
}

function beginsLine(state: EditorState, at: number): boolean {
  return state.doc.lineAt(at).from === at
}
