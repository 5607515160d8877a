import type { Range } from '@codemirror/state'
import { Decoration, type EditorView, type WidgetType } from '@codemirror/view'
import { isRevealed } from './reveal.ts'

/** The URL of the image at a target; undefined for images that are not shown here. */
export type ImageUrl = (target: string) => string | undefined

export type Canvas = ReturnType<typeof createCanvas>

const HIDDEN = Decoration.replace({})

/** Collects the decorations of one visible part into `ranges`. */
export function createCanvas(
  view: EditorView,
  imageUrl: ImageUrl,
  part: { readonly from: number; readonly to: number; readonly ranges: Range<Decoration>[] },
) {
  const { state } = view
  /** An element across two visible parts is met in both. */
  const add = (decoration: Decoration, from: number, to: number) => {
    if (from >= part.from && from < to) part.ranges.push(decoration.range(from, to))
  }
  return {
    view,
    imageUrl,
    text: (from: number, to: number) => state.sliceDoc(from, to),
    /** Whether the caret is at an element. */
    isOpen: (from: number, to: number) => isRevealed(state, from, to),
    /** Whether the caret is in the line of a position. */
    isOpenLine(at: number) {
      const line = state.doc.lineAt(at)
      return isRevealed(state, line.from, line.to)
    },
    hide: (from: number, to: number) => add(HIDDEN, from, to),
    replace: (from: number, to: number, widget: WidgetType) => add(Decoration.replace({ widget }), from, to),
    mark: (from: number, to: number, className: string) => add(Decoration.mark({ class: className }), from, to),
    /** Styles the lines of a block. */
    lines(from: number, to: number, className: string) {
      const last = Math.min(to, part.to)
      for (let at = Math.max(from, part.from); at <= last; ) {
        const line = state.doc.lineAt(at)
        if (line.from >= part.from) part.ranges.push(Decoration.line({ class: className }).range(line.from))
        at = line.to + 1
      }
    },
  }
}
