import { type EditorState, type Extension, type Range, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view'
import type { MarkdownConfig } from '@lezer/markdown'
import { button, element } from '../parts/dom.ts'
import { t } from '../parts/t.ts'

/** A merge conflict: the lines of its three markers, and both sides. */
interface MarkedPlace {
  readonly from: number
  readonly middle: number
  readonly end: number
}

const FIRST = /^<{7} yours$/m
const MARKER = /^(?:<{7} yours|={7}|>{7} version .*)$/

/** Whether the text has a conflict of an unfinished merge. */
export function hasConflict(text: string): boolean {
  return FIRST.test(text)
}

/**
 * Conflict markers as blocks of their own: `=======` makes no heading of the lines above it, `>>>>>>>` no quotation.
 */
export const conflictMarkers: MarkdownConfig = {
  defineNodes: [{ name: 'ConflictMarker', block: true }],
  parseBlock: [
    {
      name: 'ConflictMarker',
      before: 'IndentedCode',
      parse(context, line) {
        if (!MARKER.test(line.text)) return false
        const from = context.lineStart
        context.nextLine()
        context.addElement(context.elt('ConflictMarker', from, from + line.text.length))
        return true
      },
      endLeaf: (_, line) => MARKER.test(line.text),
    },
  ],
}

/** The text for the preview: conflict markers are code, which is no markup. No line is added. */
export function withPlainMarkers(text: string): string {
  return hasConflict(text) ? text.replace(new RegExp(MARKER, 'gm'), '`$&`') : text
}

/** Shows buttons above each conflict that keep one side or both. */
export const conflicts: Extension = StateField.define<DecorationSet>({
  create: decorate,
  update: (decorations, transaction) => (transaction.docChanged ? decorate(transaction.state) : decorations),
  provide: (field) => EditorView.decorations.from(field),
})

/** The line numbers of the markers of each unresolved conflict. */
function markedPlaces(state: EditorState): MarkedPlace[] {
  const places: MarkedPlace[] = []
  let [from, middle] = [0, 0]
  let number = 0
  for (const text of state.doc.iterLines()) {
    number++
    if (text.startsWith('<<<<<<< yours')) [from, middle] = [number, 0]
    else if (text === '=======' && from > 0) middle = number
    else if (text.startsWith('>>>>>>> version ') && middle > 0) {
      places.push({ from, middle, end: number })
      ;[from, middle] = [0, 0]
    }
  }
  return places
}

function decorate(state: EditorState): DecorationSet {
  const ranges: Range<Decoration>[] = []
  for (const place of markedPlaces(state)) {
    const first = state.doc.line(place.from)
    ranges.push(Decoration.widget({ widget: new Choice(place), block: true, side: -1 }).range(first.from))
    for (let number = place.from; number <= place.end; number++) {
      ranges.push(Decoration.line({ class: extractPart(number, place) }).range(state.doc.line(number).from))
    }
  }
  return Decoration.set(ranges, true)
}

function extractPart(number: number, { from, middle, end }: MarkedPlace): string {
  if (number === from || number === middle || number === end) return 'conflict-marker'
  return number < middle ? 'conflict-mine' : 'conflict-theirs'
}

class Choice extends WidgetType {
  readonly place: MarkedPlace
  constructor(place: MarkedPlace) {
    super()
    this.place = place
  }

  override eq(other: Choice): boolean {
    const { from, middle, end } = this.place
    return other.place.from === from && other.place.middle === middle && other.place.end === end
  }

  override toDOM(view: EditorView): HTMLElement {
    const { from, middle, end } = this.place
    const keep = (...ranges: readonly (readonly [number, number])[]) => {
      const { doc } = view.state
      const lines = ranges.flatMap(([first, last]) =>
        Array.from({ length: Math.max(0, last - first) }, (_, index) => `${doc.line(first + index).text}\n`),
      )
      const to = Math.min(doc.line(end).to + 1, doc.length)
      view.dispatch({ changes: { from: doc.line(from).from, to, insert: lines.join('') } })
      view.focus()
    }
    const mine = [from + 1, middle] as const
    const theirs = [middle + 1, end] as const
    return element(
      'div',
      { class: 'conflict-choice', role: 'group', 'aria-label': t('Changed by both') },
      t('Changed by both:'),
      button(t('Keep yours'), 'button small', () => keep(mine)),
      button(t('Keep theirs'), 'button small', () => keep(theirs)),
      button(t('Keep both'), 'button small', () => keep(mine, theirs)),
    )
  }

  /** The widget handles events of its buttons itself. */
  override ignoreEvent(): boolean {
    return true
  }
}
