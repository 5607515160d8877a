import { pageUrl } from '@recto/contract/page-address.ts'
import { parseEmoji } from '@recto/lib/text/emoji.ts'
import { compareNaturally } from '@recto/lib/text/text-order.ts'
import { type Html, html } from '../html.ts'
import { emoji } from '../icons.ts'
import { browseUrl } from '../urls.ts'

interface Leaf {
  readonly path: string
  readonly title: string
  readonly frontmatter: Readonly<Record<string, unknown>>
}

interface Node {
  readonly path: string
  title?: string
  icon?: string | undefined
  readonly children: Map<string, Node>
}

/**
 * Pages as a tree, in natural order unless they are a part of a list in the order of paths. A folder without a page
 * links to the list of its pages.
 */
export function pageTree(space: string, pages: readonly Leaf[], isPart: boolean): Html {
  const root: Node = { path: '', children: new Map() }
  for (const { path, title, frontmatter } of pages) {
    let node = root
    for (const segment of path.split('/')) {
      const at = node.path === '' ? segment : `${node.path}/${segment}`
      const next = node.children.get(segment) ?? { path: at, children: new Map() }
      node.children.set(segment, next)
      node = next
    }
    node.title = title
    node.icon = parseEmoji(frontmatter.icon)
  }
  return renderList(space, root, isPart)
}

function renderList(space: string, { children }: Node, isPart: boolean): Html {
  const namedNodes = isPart ? [...children] : [...children].sort(([one], [other]) => compareNaturally(one, other))
  return html`<ul class="tree">
${namedNodes.map(([segment, node]) => renderItem(space, segment, node, isPart))}</ul>`
}

function renderItem(space: string, segment: string, node: Node, isPart: boolean): Html {
  const { path, title, icon, children } = node
  const name =
    title === undefined
      ? html`<a class="folder" href="${browseUrl(space, `${path}/`)}">${segment}</a>`
      : html`<a href="${pageUrl(space, path)}">${emoji(icon)}${title}</a>${title !== segment && html` <span class="quiet">${segment}</span>`}`
  return html`<li>${name}${children.size > 0 && html`\n${renderList(space, node, isPart)}`}</li>
`
}
