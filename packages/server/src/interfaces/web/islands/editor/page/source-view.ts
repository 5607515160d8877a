import type { Node } from 'prosemirror-model'
import { Selection } from 'prosemirror-state'
import type { EditorView, NodeViewConstructor } from 'prosemirror-view'
import { element } from '../../parts/dom.ts'
import { enrich } from '../../parts/enrich.ts'
import { t } from '../../parts/t.ts'
import { readDocument } from '../document/parse.ts'
import { schema } from '../document/schema.ts'
import type { Renderer } from './rendering.ts'

const { nodes } = schema

/** The key that opens the source of the selected node, as an event of its element. */
export const OPEN_SOURCE = 'open-source'

/**
 * What the page cannot show as text to type in, such as HTML and formulas, as it will be read. A click, or Enter, opens
 * its source.
 */
export function sourceView(render: Renderer): NodeViewConstructor {
  return (first, view, position) => {
    const { isInline } = first
    let node = first
    const rendering = element(isInline ? 'span' : 'div', { class: 'rendering' })
    const dom = element(isInline ? 'span' : 'div', { class: 'source-node', title: t('Open the source') }, rendering)
    let field: HTMLTextAreaElement | undefined

    const show = () => {
      const text: string = node.attrs.text
      if (node.type === nodes.formula) {
        const formula = element('span', { class: 'math' }, text)
        rendering.replaceChildren(formula)
        void enrich([formula])
      } else if (node.type === nodes.front_matter) {
        rendering.replaceChildren(
          element('pre', { 'aria-label': t('Properties') }, text.replace(/^---\n|\n?---$/g, '')),
        )
      } else {
        void render(rendering, text, isInline).then(() => {
          // Comments and definitions show nothing.
          const isEmpty = rendering.textContent.trim() === '' && !rendering.querySelector('img, hr, video, audio')
          if (isEmpty) rendering.replaceChildren(element('code', {}, text))
        })
      }
    }
    const close = (isKept: boolean) => {
      const area = field
      // Its removal is a loss of the focus, which closes it.
      field = undefined
      const value = area?.value ?? ''
      area?.remove()
      rendering.hidden = false
      const pos = position()
      if (isKept && pos !== undefined && value !== node.attrs.text) replaceSource(view, { node, pos }, value)
      else show()
    }
    const open = () => {
      if (field) return
      const area = element('textarea', { class: 'input', 'aria-label': t('Source'), spellcheck: 'false', dir: 'auto' })
      field = area
      area.value = node.attrs.text
      area.rows = Math.min(20, area.value.split('\n').length + (isInline ? 0 : 1))
      rendering.hidden = true
      dom.append(area)
      area.focus()
      area.addEventListener('blur', () => field && close(true))
      area.addEventListener('keydown', (event) => {
        const { key, ctrlKey, metaKey } = event
        if (key !== 'Escape' && !(key === 'Enter' && (isInline || ctrlKey || metaKey))) return
        event.preventDefault()
        close(key !== 'Escape')
        view.focus()
      })
    }
    dom.addEventListener('click', (event) => {
      event.preventDefault()
      open()
    })
    dom.addEventListener(OPEN_SOURCE, open)
    show()
    return {
      dom,
      update(other) {
        if (other.type !== node.type) return false
        const isSame = other.attrs.text === node.attrs.text
        node = other
        if (!isSame && !field) show()
        return true
      },
      stopEvent: ({ target }) => target === field,
      ignoreMutation: () => true,
    }
  }
}

/** The source that was typed may be anything, such as a paragraph. */
function replaceSource(view: EditorView, { node, pos }: { node: Node; pos: number }, text: string): void {
  const to = pos + node.nodeSize
  const { tr } = view.state
  if (text.trim() === '') tr.delete(pos, to)
  else if (node.type === nodes.source_block) tr.replaceWith(pos, to, readDocument(text).content)
  else if (node.type === nodes.source_inline) tr.replaceWith(pos, to, readInline(text))
  else tr.setNodeAttribute(pos, 'text', text)
  view.dispatch(tr.setSelection(Selection.near(tr.doc.resolve(tr.mapping.map(to)), -1)))
}

function readInline(text: string) {
  const { firstChild, childCount } = readDocument(text)
  return childCount === 1 && firstChild?.type === nodes.paragraph ? firstChild.content : schema.text(text)
}
