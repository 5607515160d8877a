import type { Node } from 'prosemirror-model'
import { Plugin, TextSelection } from 'prosemirror-state'
import { Decoration, DecorationSet, type EditorView, type NodeView } from 'prosemirror-view'
import { element } from '../../parts/dom.ts'
import { enrich } from '../../parts/enrich.ts'
import { t } from '../../parts/t.ts'
import { schema } from '../document/schema.ts'

const { nodes } = schema
/** A drawing follows the source after a pause. */
const PAUSE_MS = 400

/** Code with a field for its language; formulas and diagrams as drawings, as source while the caret is in them. */
export function codeView(first: Node, view: EditorView, position: () => number | undefined): NodeView {
  const contentDOM = element('code')
  const language = languageField(first, view, position)
  const drawing = element('div', { class: 'drawing', contenteditable: 'false' })
  const dom = element('div', { class: 'code-block', dir: 'ltr' }, element('pre', {}, contentDOM), drawing)
  if (language) dom.prepend(element('div', { contenteditable: 'false' }, language))
  drawing.addEventListener('click', () => {
    const pos = position()
    if (pos === undefined) return
    view.dispatch(view.state.tr.setSelection(TextSelection.create(view.state.doc, pos + 1)))
    view.focus()
  })
  let drawnText: string | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const show = (node: Node, pause: number) => {
    const { info = '' } = node.attrs
    if (language && document.activeElement !== language) language.value = info
    const newDrawing = createDrawing(node)
    dom.classList.toggle('drawn', newDrawing !== undefined)
    const text = newDrawing && node.textContent
    if (drawnText === text) return
    drawnText = text
    clearTimeout(timer)
    timer = setTimeout(() => {
      drawing.replaceChildren(newDrawing ?? '')
      if (newDrawing) void enrich([newDrawing])
    }, pause)
  }
  show(first, 0)
  return {
    dom,
    contentDOM,
    update(node) {
      if (node.type !== first.type) return false
      show(node, PAUSE_MS)
      return true
    },
    stopEvent: ({ target }) => target === language,
    ignoreMutation: ({ target }) => !contentDOM.contains(target),
    destroy: () => clearTimeout(timer),
  }
}

/** As the service renders it; undefined for other code. */
function createDrawing({ type, attrs, textContent }: Node): HTMLElement | undefined {
  if (textContent.trim() === '') return undefined
  const isFormula = type === nodes.formula_block || attrs.info === 'math'
  if (isFormula) return element('div', { class: 'math' }, textContent.trim())
  if (attrs.info !== 'mermaid') return undefined
  return element('div', { class: 'diagram' }, element('pre', {}, element('code', {}, textContent)))
}

function languageField({ type }: Node, view: EditorView, position: () => number | undefined) {
  if (type !== nodes.code_block) return undefined
  const field = element('input', {
    class: 'language',
    'aria-label': t('Language of the code'),
    placeholder: t('Language'),
    autocomplete: 'off',
    spellcheck: 'false',
    maxlength: '100',
  })
  field.addEventListener('change', () => {
    const pos = position()
    // Backticks would end it.
    const info = field.value.replaceAll('`', '').trim()
    if (pos !== undefined) view.dispatch(view.state.tr.setNodeAttribute(pos, 'info', info))
  })
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    // Enter would submit the form of the page.
    event.preventDefault()
    view.focus()
  })
  return field
}

/** Marks the code that the caret is in. */
export const caretInCode = new Plugin({
  props: {
    decorations({ doc, selection: { $from } }) {
      if ($from.depth === 0 || !$from.parent.type.spec.code) return null
      return DecorationSet.create(doc, [Decoration.node($from.before(), $from.after(), { class: 'has-caret' })])
    },
  },
})
