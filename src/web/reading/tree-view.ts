import type { Child, Surroundings } from '../../pages/children.ts'
import { type Html, html, trusted } from '../html.ts'
import { browseUrl, pageUrl } from '../urls.ts'

/** The page tree around a page, as a fragment: its own folders are open. */
export function treeView(around: Surroundings, current: string): Html {
  return html`<p class="tree-title"><a href="${browseUrl(around.space.slug)}">${around.space.name}</a></p>
${level(around, current, '')}`
}

function level(around: Surroundings, current: string, prefix: string): Html | undefined {
  const children = around.below.get(prefix)
  if (!children) return undefined
  const { slug } = around.space
  const items = children.map(
    (child) => html`<li>${link(slug, child, current)}${level(around, current, `${child.path}/`)}</li>`,
  )
  const more =
    around.cut.has(prefix) &&
    html`<li><a href="${browseUrl(slug, prefix.slice(0, -1))}">All of these</a></li>`
  return html`<ul>${items}${more}</ul>`
}

function link(slug: string, { path, segment, title, hasChildren }: Child, current: string): Html {
  const isFolder = title === undefined
  const href = isFolder ? browseUrl(slug, path) : pageUrl(slug, path)
  const marks = html`${path === current && trusted(' aria-current="page"')}${hasChildren && trusted(' class="folder"')}`
  return html`<a href="${href}"${marks}>${title ?? segment}</a>`
}
