import { toggleMark } from 'prosemirror-commands'
import { type Command, NodeSelection, Plugin, TextSelection } from 'prosemirror-state'
import { CellSelection } from 'prosemirror-tables'
import type { EditorView } from 'prosemirror-view'
import { button, element, refill } from '../../parts/dom.ts'
import { showIcon } from '../../parts/icon.ts'
import { msg, t } from '../../parts/t.ts'
import { schema } from '../document/schema.ts'
import { placeBeside } from './floating.ts'
import { linkRange, MARKS, setLink } from './formats.ts'

const { nodes } = schema

/** The fields of an image: its attribute, its label, and the most characters. */
const IMAGE_FIELDS = [
  ['alt', msg('Description'), 500],
  ['title', msg('Caption'), 500],
  ['width', msg('Width'), 4],
] as const

/** A bar at the selection: the marks of text, the target of a link, the description of an image. */
export function selectionBar() {
  const bar = element('div', { class: 'selection-bar', role: 'group', 'aria-label': t('Selection'), hidden: '' })
  let isAsking = false
  let shownFor: unknown

  const close = () => {
    bar.hidden = true
    isAsking = false
    shownFor = undefined
  }
  const open = (view: EditorView, kind: unknown, children: readonly HTMLElement[]) => {
    if (shownFor !== kind) refill(bar, children)
    shownFor = kind
    bar.hidden = false
    const { selection } = view.state
    const dom = selection instanceof NodeSelection ? view.nodeDOM(selection.from) : null
    const image = dom instanceof Element ? dom.querySelector('img') : null
    const box = image?.getBoundingClientRect() ?? view.coordsAtPos(selection.from)
    placeBeside(bar, box, 'above')
  }
  const update = (view: EditorView) => {
    const { selection } = view.state
    if (bar.contains(document.activeElement)) return
    if (selection instanceof NodeSelection && selection.node.type === nodes.image) {
      return open(view, selection.node, imageFields(view))
    }
    if (!view.hasFocus() || selection instanceof NodeSelection || selection instanceof CellSelection) return close()
    const { href, from, to } = linkRange(view.state)
    if (selection.empty && href !== '') return open(view, `${from} ${href}`, linkFields(view, href, close))
    const isCode = selection.$from.parent.type.spec.code
    if (selection.empty || isCode || view.state.doc.textBetween(from, to).trim() === '') return close()
    open(
      view,
      MARKS,
      markButtons(view, () => askTarget(view)),
    )
  }
  const askTarget = (view: EditorView) => {
    const { href, from, to } = linkRange(view.state)
    isAsking = true
    open(view, {}, linkFields(view, href, close))
    const { doc } = view.state
    view.dispatch(view.state.tr.setSelection(TextSelection.create(doc, from, to)))
    bar.querySelector('input')?.focus()
  }
  const plugin = new Plugin({
    view(view) {
      view.dom.after(bar)
      bar.addEventListener('focusout', ({ relatedTarget }) => {
        if (relatedTarget instanceof Node && (bar.contains(relatedTarget) || view.dom.contains(relatedTarget))) return
        close()
      })
      bar.addEventListener('keydown', ({ key }) => {
        if (key !== 'Escape') return
        close()
        view.focus()
      })
      return { update: () => isAsking || update(view), destroy: () => bar.remove() }
    },
    props: {
      handleDOMEvents: {
        // A drag of the mouse ends, or the text gets the focus.
        focus: (view) => void setTimeout(() => !view.isDestroyed && update(view)),
        blur: (_, { relatedTarget }) =>
          void (relatedTarget instanceof Node && bar.contains(relatedTarget) ? 0 : close()),
      },
    },
  })
  /** Asks for the target of a link, where there is text for one. */
  const askLink: Command = (state, _dispatch, view) => {
    const { from, to } = linkRange(state)
    if (from === to || !view) return false
    askTarget(view)
    return true
  }
  return { plugin, askLink }
}

function markButtons(view: EditorView, askTarget: () => void): HTMLElement[] {
  const buttons = MARKS.map(({ name, icon, key, type }) =>
    showIcon(
      barButton('', '', () => toggleMark(type)(view.state, view.dispatch)),
      icon,
      t(name),
      key,
    ),
  )
  return [...buttons, showIcon(barButton('', '', askTarget), 'link', t('Link the selection'), 'Mod-k')]
}

/** The text keeps its selection. */
function barButton(label: string, name: string, act: () => void): HTMLButtonElement {
  const control = button(label, 'button plain small', act)
  control.ariaLabel = name
  control.addEventListener('mousedown', (event) => event.preventDefault())
  return control
}

function linkFields(view: EditorView, href: string, close: () => void): HTMLElement[] {
  const input = element('input', {
    class: 'input',
    'aria-label': t('Address of the link'),
    placeholder: t('Address'),
    dir: 'ltr',
  })
  input.value = href
  const apply = (target: string) => {
    setLink(target)(view.state, view.dispatch)
    close()
    view.focus()
  }
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    // Enter would submit the form of the page.
    event.preventDefault()
    apply(input.value.trim())
  })
  const remove = barButton(t('Remove'), t('Remove the link'), () => apply(''))
  remove.hidden = href === ''
  return [input, barButton(t('Apply'), t('Apply the address'), () => apply(input.value.trim())), remove]
}

function imageFields(view: EditorView): HTMLElement[] {
  const { selection } = view.state
  const { node } = selection as NodeSelection // of the caller
  return IMAGE_FIELDS.map(([name, label, maxLength]) => {
    const input = element('input', { class: 'input', dir: 'auto', autocomplete: 'off', maxlength: String(maxLength) })
    input.value = node.attrs[name] ?? ''
    if (name === 'width') input.inputMode = 'numeric'
    input.addEventListener('change', () => {
      const { tr } = view.state
      const value = name === 'width' ? (/^\d+$/.test(input.value) ? input.value : null) : input.value
      tr.setNodeAttribute(selection.from, name, value)
      view.dispatch(tr.setSelection(NodeSelection.create(tr.doc, selection.from)))
    })
    input.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter') return
      event.preventDefault()
      input.blur()
      view.focus()
    })
    return element('label', {}, t(label), input)
  })
}
