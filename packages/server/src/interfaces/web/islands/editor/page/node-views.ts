import type { Node } from 'prosemirror-model'
import type { EditorView, NodeView, NodeViewConstructor } from 'prosemirror-view'
import { element } from '../../parts/dom.ts'
import { t } from '../../parts/t.ts'
import { findImageSize, rememberImageSize } from '../image-sizes.ts'
import type { SurfaceOptions } from '../surface.ts'
import { codeView } from './code-view.ts'
import type { Renderer } from './rendering.ts'
import { sourceView } from './source-view.ts'

/** How the nodes are shown that need more than an element. */
export function nodeViews(
  { imageUrl }: Pick<SurfaceOptions, 'imageUrl'>,
  render: Renderer,
): Record<string, NodeViewConstructor> {
  const source = sourceView(render)
  return {
    list_item: itemView,
    code_block: codeView,
    formula_block: codeView,
    image: (node) => imageView(node, imageUrl),
    details: openDetails,
    source_block: source,
    source_inline: source,
    formula: source,
    front_matter: source,
  }
}

/** A task has a check box, which is no stop of Tab: Ctrl Enter ticks it, and the way out of 200 tasks is short. */
function itemView(first: Node, view: EditorView, position: () => number | undefined): NodeView {
  if (first.attrs.checked === null) {
    const dom = element('li')
    return { dom, contentDOM: dom, update: ({ type, attrs }) => type === first.type && attrs.checked === null }
  }
  const box = element('input', { type: 'checkbox', tabindex: '-1' })
  const contentDOM = element('div')
  const dom = element('li', { class: 'task' }, element('span', { contenteditable: 'false' }, box), contentDOM)
  // A click leaves the focus in the text.
  box.addEventListener('mousedown', (event) => event.preventDefault())
  box.addEventListener('change', () => {
    const pos = position()
    if (pos !== undefined) view.dispatch(view.state.tr.setNodeAttribute(pos, 'checked', box.checked))
  })
  const show = (node: Node) => {
    box.checked = node.attrs.checked
    box.ariaLabel = node.firstChild?.textContent || t('Task')
  }
  show(first)
  return {
    dom,
    contentDOM,
    update(node) {
      if (node.type !== first.type || node.attrs.checked === null) return false
      show(node)
      return true
    },
    stopEvent: ({ target }) => target === box,
    ignoreMutation: ({ target }) => !contentDOM.contains(target),
  }
}

/** What is folded in the page is open in its editor. */
function openDetails(): NodeView {
  const dom = element('div', { class: 'details' })
  return { dom, contentDOM: dom }
}

/** As in the style sheet. */
const MAX_IMAGE_HEIGHT_REM = 24

/** An image of the space; of another one its description or target, as the editor loads nothing from elsewhere. */
function imageView({ attrs }: Node, imageUrl: SurfaceOptions['imageUrl']): NodeView {
  const url = imageUrl(attrs.src)
  const missing = () => element('span', { class: 'no-image' }, attrs.alt || attrs.src)
  const dom = element('span', { class: 'picture' }, url === undefined ? missing() : '')
  if (url === undefined) return { dom, ignoreMutation: () => true }
  const image = element('img', { alt: attrs.alt, title: attrs.title })
  const [width, height] = findImageSize(url) ?? []
  if (width !== undefined && height !== undefined) {
    image.style.aspectRatio = `${width} / ${height}`
    image.style.width = `min(${attrs.width ?? width}px, ${(MAX_IMAGE_HEIGHT_REM * width) / height}rem)`
  }
  image.addEventListener('load', () => rememberImageSize(url, image.naturalWidth, image.naturalHeight))
  let wasOnline = true
  const load = () => {
    wasOnline = navigator.onLine
    image.src = url
  }
  image.addEventListener('error', () => {
    if (!navigator.onLine) addEventListener('online', load, { once: true })
    // The connection came back before the error was told.
    else if (!wasOnline) load()
    else image.replaceWith(missing())
  })
  load()
  dom.append(image)
  return { dom, ignoreMutation: () => true }
}
