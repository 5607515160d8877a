import { syntaxTree } from '@codemirror/language'
import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state'
import { EditorView, type ViewUpdate } from '@codemirror/view'

interface Range {
  readonly from: number
  readonly to: number
}

/**
 * The selection whose elements show their source. It stays while the pointer is down, so that no text moves below it.
 */
interface Revealed {
  readonly ranges: readonly Range[]
  readonly isHeld: boolean
}

const hold = StateEffect.define<boolean>()

const revealedField = StateField.define<Revealed>({
  create: ({ selection }) => ({ ranges: selection.ranges, isHeld: false }),
  update(before, { effects, selection, docChanged, changes, newSelection }) {
    const isHeld = effects.findLast((effect) => effect.is(hold))?.value ?? before.isHeld
    if (isHeld === before.isHeld && !docChanged && (isHeld || !selection)) return before
    if (!isHeld) return { ranges: newSelection.ranges, isHeld }
    const ranges = before.ranges.map(({ from, to }) => ({
      from: changes.mapPos(from),
      to: changes.mapPos(to),
    }))
    return { ranges, isHeld }
  },
})

/** Tracks where the source is shown. */
export const reveal: Extension = [
  revealedField,
  EditorView.domEventHandlers({
    mousedown(event, view) {
      if (event.button !== 0) return
      view.dispatch({ effects: hold.of(true) })
      const end = new AbortController()
      const release = () => {
        end.abort()
        view.dispatch({ effects: hold.of(false) })
      }
      // Dragged text ends without `mouseup`.
      for (const type of ['mouseup', 'dragend', 'blur']) addEventListener(type, release, { signal: end.signal })
    },
  }),
]

/** Whether a caret or a selection touches a range. */
export function isRevealed(state: EditorState, from: number, to: number): boolean {
  return state.field(revealedField).ranges.some((range) => range.from <= to && range.to >= from)
}

/** Whether another part of the source is shown, or the text or its tree is another. */
export function isRevealChanged({ startState, state }: Pick<ViewUpdate, 'startState' | 'state'>): boolean {
  return (
    startState.field(revealedField, false) !== state.field(revealedField) ||
    syntaxTree(startState) !== syntaxTree(state)
  )
}
