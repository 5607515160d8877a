import { pageUrl } from '@recto/contract/page-url.ts'
import { parseEmoji } from '@recto/lib/text/emoji.ts'
import { compareNaturally } from '@recto/lib/text/text-order.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import { type Html, html } from '../html.ts'
import { emoji } from '../icons.ts'
import { lock } from '../lock.ts'
import { browseUrl } from '../urls.ts'

interface TreeOptions {
  readonly space: Pick<Space, 'slug' | 'role'>
  /** Whether the pages are a part of a list. */
  readonly isPart: boolean
  /** The paths with rules of their own that narrow reading. */
  readonly restricted: ReadonlySet<string>
}

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
export function pageTree(pages: readonly Leaf[], view: TreeOptions): Html {
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
  return renderList(root, view)
}

function renderList({ children }: Node, view: TreeOptions): Html {
  const namedNodes = view.isPart ? [...children] : [...children].sort(([one], [other]) => compareNaturally(one, other))
  return html`<ul class="tree">
${namedNodes.map(([segment, node]) => renderItem(segment, node, view))}</ul>`
}

function renderItem(segment: string, node: Node, view: TreeOptions): Html {
  const { path, title, icon, children } = node
  const { slug: space, role } = view.space
  const name =
    title === undefined
      ? html`<a class="folder" href="${browseUrl(space, `${path}/`)}">${segment}</a>`
      : html`<a href="${pageUrl(space, path)}">${emoji(icon)}${title}</a>${
          title !== segment && html` <span class="quiet">${segment}</span>`
        }`
  const sign = view.restricted.has(path) && lock({ space, path, isAdmin: role === 'admin' })
  return html`<li>${name}${sign}${children.size > 0 && html`\n${renderList(node, view)}`}</li>
`
}
