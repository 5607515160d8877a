import { Plugin, PluginKey } from 'prosemirror-state'
import { Decoration, DecorationSet, type EditorView } from 'prosemirror-view'
import { element } from '../../parts/dom.ts'
import { t } from '../../parts/t.ts'

interface Change {
  readonly add?: { readonly id: object; readonly at: number }
  readonly forget?: object
}

const key = new PluginKey<DecorationSet>('places')

/** Places for content that comes later, such as files that are being uploaded; they move with the text. */
export const latePlaces = new Plugin<DecorationSet>({
  key,
  state: {
    init: () => DecorationSet.empty,
    apply(tr, before) {
      const places = before.map(tr.mapping, tr.doc)
      const { add, forget }: Change = tr.getMeta(key) ?? {}
      if (add) {
        const dom = () => element('span', { class: 'late-place', role: 'img', 'aria-label': t('Being inserted') })
        return places.add(tr.doc, [Decoration.widget(add.at, dom, { id: add.id, side: 1 })])
      }
      return forget ? places.remove(places.find(undefined, undefined, ({ id }) => id === forget)) : places
    },
  },
  props: { decorations: (state) => key.getState(state) },
})

/** Marks a place. The result takes it away again, and says where it is; undefined if the text around it is gone. */
export function markPlace(view: EditorView, at: number): () => number | undefined {
  const id = {}
  const change = (meta: Change) => view.dispatch(view.state.tr.setMeta(key, meta).setMeta('addToHistory', false))
  change({ add: { id, at } })
  return () => {
    const place = key.getState(view.state)?.find(undefined, undefined, (spec) => spec.id === id)[0]?.from
    change({ forget: id })
    return place
  }
}
