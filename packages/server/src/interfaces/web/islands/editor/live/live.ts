import { Compartment, type Extension } from '@codemirror/state'
import { type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view'
import { inStorage } from '../drafts.ts'
import type { ImageUrl } from './canvas.ts'
import { decorate } from './elements.ts'
import { isRevealChanged, reveal } from './reveal.ts'
import { tables } from './tables.ts'

export type LivePreview = ReturnType<typeof createLivePreview>

const KEY = 'recto.live-preview'

/** Shows Markdown as it will be read; the element at the caret shows its source. The text itself stays the same. */
export function createLivePreview(imageUrl: ImageUrl) {
  const compartment = new Compartment()
  const parts = [EditorView.editorAttributes.of({ class: 'live' }), reveal, elements(imageUrl), tables]
  let isOn = inStorage(() => localStorage.getItem(KEY)) !== 'off'
  return {
    extension: compartment.of(isOn ? parts : []),
    isOn: () => isOn,
    /** Switches it, and keeps the choice in this browser. */
    toggle(view: EditorView) {
      isOn = !isOn
      inStorage(() => localStorage.setItem(KEY, isOn ? 'on' : 'off'))
      view.dispatch({ effects: compartment.reconfigure(isOn ? parts : []) })
    },
  }
}

/** The elements within lines, of the visible part of the text only. */
function elements(imageUrl: ImageUrl): Extension {
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet
      constructor(view: EditorView) {
        this.decorations = decorate(view, imageUrl)
      }
      update(update: ViewUpdate) {
        if (update.docChanged || update.viewportChanged || isRevealChanged(update))
          this.decorations = decorate(update.view, imageUrl)
      }
    },
    { decorations: ({ decorations }) => decorations },
  )
}
