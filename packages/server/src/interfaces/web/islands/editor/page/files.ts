import type { Node } from 'prosemirror-model'
import type { EditorView } from 'prosemirror-view'
import { schema } from '../document/schema.ts'
import type { FilePlace, Point } from '../surface.ts'
import { insertMarkdown } from './paste.ts'
import { markPlace } from './places.ts'

const { nodes, marks } = schema

/** Reserves a place for a file at a point or at the caret. */
export function reserveFile(view: EditorView, point: Point | undefined, isSeparate: boolean): FilePlace {
  const coords = point && { left: point.x, top: point.y }
  const take = markPlace(view, (coords && view.posAtCoords(coords)?.pos) ?? view.state.selection.head)
  return {
    insert: (markdown) => insertMarkdown(view, markdown, { at: take() ?? view.state.selection.head, isSeparate }),
    forget: () => void take(),
  }
}

/** Sets the description of the images with a target. */
export function describeImage(view: EditorView, target: string, description: string): void {
  changeEach(view, (node, pos, tr) => {
    if (node.type === nodes.image && node.attrs.src === target) tr.setNodeAttribute(pos, 'alt', description)
  })
}

/** Changes the targets of links and images. */
export function retargetLinks(view: EditorView, before: string, after: string): void {
  changeEach(view, (node, pos, tr) => {
    if (node.type === nodes.image && node.attrs.src === before) tr.setNodeAttribute(pos, 'src', after)
    const link = marks.link.isInSet(node.marks)
    if (link?.attrs.href === before) {
      tr.addMark(pos, pos + node.nodeSize, marks.link.create({ ...link.attrs, href: after }))
    }
  })
}

function changeEach(
  { state, dispatch }: EditorView,
  change: (node: Node, pos: number, tr: EditorView['state']['tr']) => void,
): void {
  const { tr } = state
  state.doc.descendants((node, pos) => change(node, pos, tr))
  if (tr.docChanged) dispatch(tr)
}
