import { Plugin } from 'prosemirror-state'
import type { EditorView } from 'prosemirror-view'
import { element, refill } from '../../parts/dom.ts'
import { t } from '../../parts/t.ts'
import { placeBeside } from './floating.ts'
import { findTrigger, type Suggestion } from './suggest.ts'

interface OpenList {
  readonly from: number
  readonly suggestions: readonly Suggestion[]
  at: number
}

const ID = 'page-suggestions'

/** Offers blocks, pages, files, emoji and people while their signs are typed (combobox pattern of WAI-ARIA). */
export function suggestionList(space: string): Plugin {
  const list = element('ul', {
    id: ID,
    class: 'suggestions',
    role: 'listbox',
    'aria-label': t('Suggestions'),
    hidden: '',
  })
  // Scrollable regions must be within reach of the keyboard.
  list.tabIndex = 0
  let open: OpenList | undefined
  let dismissedAt: number | undefined
  let pending: AbortController | undefined

  const close = (view: EditorView) => {
    pending?.abort()
    open = undefined
    list.hidden = true
    view.dom.removeAttribute('aria-activedescendant')
    view.dom.removeAttribute('aria-controls')
  }
  const select = (view: EditorView, at: number) => {
    if (!open) return
    open.at = (at + open.suggestions.length) % open.suggestions.length
    for (const [index, option] of [...list.children].entries()) {
      const isSelected = index === open.at
      option.setAttribute('aria-selected', String(isSelected))
      if (isSelected) option.scrollIntoView({ block: 'nearest' })
    }
    view.dom.setAttribute('aria-activedescendant', `${ID}-${open.at}`)
    view.dom.setAttribute('aria-controls', ID)
  }
  const choose = (view: EditorView, suggestion: Suggestion) => {
    const trigger = findTrigger(view.state)
    close(view)
    if (trigger) view.dispatch(view.state.tr.delete(trigger.from, trigger.to))
    suggestion.apply(view)
    view.focus()
  }
  const show = (view: EditorView, from: number, suggestions: readonly Suggestion[]) => {
    if (suggestions.length === 0) return close(view)
    open = { from, suggestions, at: 0 }
    const options = suggestions.map((suggestion, index) => {
      const { label, detail = '' } = suggestion
      const option = element('li', { id: `${ID}-${index}`, role: 'option' }, element('span', {}, label))
      if (detail !== '') option.append(element('span', { class: 'quiet' }, detail))
      // The text keeps the focus.
      option.addEventListener('mousedown', (event) => event.preventDefault())
      option.addEventListener('click', () => choose(view, suggestion))
      return option
    })
    refill(list, options)
    list.hidden = false
    placeBeside(list, view.coordsAtPos(from), 'below')
    select(view, 0)
  }
  const update = async (view: EditorView, isTyped: boolean) => {
    const trigger = findTrigger(view.state)
    if (trigger?.from !== dismissedAt) dismissedAt = undefined
    if (!trigger || dismissedAt !== undefined || (!isTyped && open?.from !== trigger.from)) return close(view)
    if (!isTyped) return
    pending?.abort()
    pending = new AbortController()
    const { signal } = pending
    const suggestions = await trigger.load(trigger.words, space, signal)
    if (!signal.aborted) show(view, trigger.from, suggestions)
  }

  return new Plugin({
    view(view) {
      view.dom.after(list)
      return {
        update(_, { doc, selection }) {
          const isTyped = !view.state.doc.eq(doc)
          if (isTyped || !view.state.selection.eq(selection)) void update(view, isTyped)
        },
        destroy: () => list.remove(),
      }
    },
    props: {
      handleKeyDown(view, { key }) {
        if (!open) return false
        if (key === 'ArrowDown') select(view, open.at + 1)
        else if (key === 'ArrowUp') select(view, open.at - 1)
        else if (key === 'Escape') {
          dismissedAt = open.from
          close(view)
        } else if (key === 'Enter' || key === 'Tab') {
          const suggestion = open.suggestions[open.at]
          if (suggestion) choose(view, suggestion)
        } else return false
        return true
      },
      handleDOMEvents: {
        blur(view, { relatedTarget }) {
          if (relatedTarget !== list) close(view)
        },
      },
    },
  })
}
