import { Annotation, type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { frontMatterEnd } from './front-matter.ts'

/** A place in the text, which is tracked while the text around it changes. */
interface Place {
  readonly id: number
  readonly at: number
}

const mark = StateEffect.define<Place>()
const forget = StateEffect.define<number>()
/** The inserted text, by the id of its place. */
const insertedAnnotation = Annotation.define<number>()

const places = StateField.define<ReadonlyMap<number, Place>>({
  create: () => new Map(),
  update(before, transaction) {
    const own = transaction.annotation(insertedAnnotation)
    const after = new Map<number, Place>()
    for (const [id, place] of before) {
      // Of several texts at the same place, those with lower ids come first.
      const isBefore = own !== undefined && id < own
      after.set(id, { ...place, at: transaction.changes.mapPos(place.at, isBefore ? -1 : 1) })
    }
    for (const effect of transaction.effects) {
      if (effect.is(mark)) after.set(effect.value.id, effect.value)
      if (effect.is(forget)) after.delete(effect.value)
    }
    return after
  },
})

/** Tracks places for later insertions: at one place, lower ids come first. */
export const insertPlaces: Extension = places

let lastId = 0

export function newPlaceId(): number {
  return ++lastId
}

export function markPlace(view: EditorView, place: Place): void {
  view.dispatch({ effects: mark.of(place) })
}

export function forgetPlace(view: EditorView, id: number): void {
  view.dispatch({ effects: forget.of(id) })
}

/** The beginning of a heading, a list, a quotation, a table or code. */
const BLOCK = /^(?:#{1,6} |[-*+] |\d+[.)] |[>|]|```)/

/**
 * Inserts the Markdown of a file at its place, on a separate line if `isSeparate`. A block that begins there remains
 * one, and a caret there moves after the text.
 */
export function insertFile(view: EditorView, id: number, markdown: string, isSeparate: boolean): void {
  const { state } = view
  const { main } = state.selection
  const at = findPlace(state, id)
  const line = state.doc.lineAt(at)
  const beginsLine = line.from === at
  const before = isSeparate && !beginsLine ? '\n' : ''
  const after = beginsLine && BLOCK.test(line.text) ? '\n\n' : ''
  const insert = before + markdown + after
  view.dispatch({
    changes: { from: at, insert },
    ...(main.empty && main.head === at && { selection: { anchor: at + insert.length } }),
    annotations: insertedAnnotation.of(id),
    effects: forget.of(id),
    userEvent: 'input.paste',
  })
}

/** Where files that are added at a position are inserted: after the front matter, which is no text. */
export function placeOfFiles({ doc }: EditorState, at: number): number {
  const end = frontMatterEnd(doc)
  return end > 0 && at <= end ? Math.min(end + 1, doc.length) : at
}

function findPlace(state: EditorState, id: number): number {
  return state.field(places).get(id)?.at ?? state.selection.main.head
}
