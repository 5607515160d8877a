import type { SyntaxNode } from '@lezer/common'
import { element, filled } from '../../parts/dom.ts'

const TAGS: Readonly<Record<string, 'em' | 'strong' | 'del' | 'sup' | 'sub'>> = {
  Emphasis: 'em',
  StrongEmphasis: 'strong',
  Strikethrough: 'del',
  Superscript: 'sup',
  Subscript: 'sub',
}

/** The text of an element of the Markdown tree with its emphasis, code and links. */
export function inlineContent(node: SyntaxNode, source: string, { from, to } = findContent(node)): (Node | string)[] {
  const nodes: (Node | string)[] = []
  let at = from
  for (let child = node.firstChild; child; child = child.nextSibling) {
    if (child.from < from || child.to > to) continue
    nodes.push(source.slice(at, child.from))
    for (const part of shown(child, source)) nodes.push(part)
    at = child.to
  }
  nodes.push(source.slice(at, to))
  return nodes
}

/** The part between the marks at both ends of an element. */
function findContent({ firstChild, lastChild, from, to }: SyntaxNode) {
  return {
    from: firstChild?.name.endsWith('Mark') && firstChild.from === from ? firstChild.to : from,
    to: lastChild?.name.endsWith('Mark') && lastChild.to === to ? lastChild.from : to,
  }
}

function shown(node: SyntaxNode, source: string): (Node | string)[] {
  const tag = TAGS[node.name]
  if (tag) return [filled(element(tag), inlineContent(node, source))]
  if (node.name === 'InlineCode') {
    const { from, to } = findContent(node)
    return [element('code', {}, source.slice(from, to).replaceAll('\\|', '|'))]
  }
  if (node.name === 'Escape') return [source.slice(node.from + 1, node.to)]
  if (node.name === 'HTMLTag' && /^<br ?\/?>$/i.test(source.slice(node.from, node.to))) return [element('br')]
  if (node.name === 'Link' || node.name === 'Image') return linkContent(node, source)
  return inlineContent(node, source, node)
}

/** A link as its text, an image as its description. */
function linkContent(node: SyntaxNode, source: string): (Node | string)[] {
  const [open, close] = node.getChildren('LinkMark')
  if (!open || !close || !(node.getChild('URL') ?? node.getChild('LinkLabel')))
    return [source.slice(node.from, node.to)]
  const text = inlineContent(node, source, { from: open.to, to: close.from })
  return [filled(element('span', { class: 'live-link' }), text)]
}
