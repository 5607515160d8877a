import { pageUrl } from '../http/page-address.ts'
import type { Page } from '../pages/page.ts'
import type { Space } from '../spaces/schema.ts'
import { browseUrl } from './addresses.ts'
import { html } from './html.ts'
import { layout } from './layout.ts'
import { spaceTabs } from './tabs.ts'

/** A space: what it is, and its pages in the order of their paths. */
export function spaceDocument(view: {
  readonly space: Space
  readonly pages: readonly Page[]
  readonly next: string | null
  /** Only paths that begin so are shown. */
  readonly prefix: string
}): string {
  const { space, pages, next, prefix } = view
  const items = pages.map(
    (page) =>
      html`<li class="depth-${Math.min(page.path.split('/').length, 6)}"><a href="${pageUrl(space.slug, page.path)}">${page.title}</a> <span class="quiet">${page.path}</span></li>`,
  )
  return layout({
    title: `${space.name} · Recto`,
    crumbs: [{ text: space.name, href: browseUrl(space.slug) }],
    tabs: spaceTabs(space.slug, 'Pages'),
    space: space.slug,
    main: html`<div class="page">
<article class="prose">
<h1>${prefix === '' ? space.name : prefix}</h1>
${space.description !== '' && prefix === '' && html`<p>${space.description}</p>`}
${items.length === 0 ? html`<p>No page stands here yet.</p>` : html`<ul class="tree">${items}</ul>`}
${next !== null && html`<p><a href="/browse/${space.slug}?prefix=${encodeURIComponent(prefix)}&amp;cursor=${encodeURIComponent(next)}" rel="next">More pages</a></p>`}
</article>
</div>`,
  })
}
