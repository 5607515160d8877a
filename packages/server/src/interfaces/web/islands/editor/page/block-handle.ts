import { NodeSelection, Plugin, Selection } from 'prosemirror-state'
import type { EditorView } from 'prosemirror-view'
import { button, element, filled } from '../../parts/dom.ts'
import { msg, t } from '../../parts/t.ts'
import { copyBlock, deleteBlock, moveBlock } from './blocks.ts'

/** What can be done with the block at the caret. */
export const BLOCK_ACTIONS = [
  [msg('Move up'), moveBlock(-1)],
  [msg('Move down'), moveBlock(1)],
  [msg('Duplicate'), copyBlock],
  [msg('Delete'), deleteBlock],
] as const

/** A handle beside the block under the pointer: it drags the block, and a click opens its menu. */
export const blockHandle = new Plugin({
  view(view) {
    const items = element('ul', { class: 'items' })
    // Keys have the same menu in the toolbar.
    const handle = element(
      'summary',
      { title: t('Drag to move, click for more'), draggable: 'true', tabindex: '-1' },
      '⋮⋮',
    )
    handle.ariaLabel = t('Block')
    const menu = element('details', { class: 'menu block-handle', hidden: '' }, handle, items)
    let blockPos: number | undefined

    const selectBlock = () => {
      const node = blockPos === undefined ? null : view.state.doc.nodeAt(blockPos)
      if (blockPos === undefined || !node) return undefined
      const { doc, tr } = view.state
      const isAtom = node.isAtom || !node.isTextblock
      const selection =
        isAtom && NodeSelection.isSelectable(node)
          ? NodeSelection.create(doc, blockPos)
          : Selection.near(doc.resolve(blockPos + 1))
      view.dispatch(tr.setSelection(selection))
      return node
    }
    filled(
      items,
      BLOCK_ACTIONS.map(([name, command]) => {
        const act = () => {
          menu.open = false
          selectBlock()
          command(view.state, view.dispatch)
          view.focus()
        }
        return element('li', {}, button(t(name), '', act))
      }),
    )
    handle.addEventListener('dragstart', (event) => {
      if (!selectBlock() || blockPos === undefined || !event.dataTransfer) return
      const selection = NodeSelection.create(view.state.doc, blockPos)
      view.dispatch(view.state.tr.setSelection(selection))
      const slice = selection.content()
      const { dom, text } = view.serializeForClipboard(slice)
      event.dataTransfer.setData('text/html', dom.innerHTML)
      event.dataTransfer.setData('text/plain', text)
      event.dataTransfer.effectAllowed = 'copyMove'
      view.dragging = { slice, move: true }
    })
    const follow = ({ clientY }: MouseEvent) => {
      if (menu.open) return
      const block = findBlock(view, clientY)
      menu.hidden = block === undefined
      blockPos = block?.pos
      const parent = view.dom.offsetParent
      if (block && parent) menu.style.top = `${block.top - parent.getBoundingClientRect().top + parent.scrollTop}px`
    }
    view.dom.before(menu)
    const outer = view.dom.parentElement ?? view.dom
    outer.addEventListener('mousemove', follow)
    return {
      destroy() {
        outer.removeEventListener('mousemove', follow)
        menu.remove()
      },
    }
  },
})

/** The block of the page at a height of the window. */
function findBlock(view: EditorView, y: number): { readonly pos: number; readonly top: number } | undefined {
  const { left, width } = view.dom.getBoundingClientRect()
  const at = view.posAtCoords({ left: left + width / 2, top: y })
  if (!at) return undefined
  const $pos = view.state.doc.resolve(at.inside >= 0 ? at.inside : at.pos)
  const pos = $pos.depth === 0 ? $pos.pos : $pos.before(1)
  const dom = view.nodeDOM(pos)
  return dom instanceof HTMLElement ? { pos, top: dom.getBoundingClientRect().top } : undefined
}
