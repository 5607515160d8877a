import { pageUrl } from '../http/page-address.ts'
import type { Page } from '../pages/page.ts'
import type { Space } from '../spaces/schema.ts'
import { type Html, html } from './html.ts'
import { layout } from './layout.ts'
import { time } from './time.ts'

/** Where a person begins: the spaces, and what changed last. */
export function homeDocument(view: {
  readonly spaces: readonly Space[]
  readonly recent: readonly Page[]
}): string {
  return layout({
    title: 'Recto',
    main: html`<div class="page">
<article class="prose">
<h1>Spaces</h1>
${view.spaces.length === 0 ? html`<p>There is no space yet. <a href="/docs#spaces">Create one</a>, and write a page into it.</p>` : html`<ul class="cards">${view.spaces.map(card)}</ul>`}
<h2>Recent changes</h2>
${view.recent.length === 0 ? html`<p>No page was written yet.</p>` : html`<ul class="changes">${view.recent.map(change)}</ul>`}
</article>
</div>`,
  })
}

function card(space: Space): Html {
  return html`<li><a href="/browse/${space.slug}">${space.name}</a>${space.description !== '' && html`<br>${space.description}`}</li>`
}

function change(page: Page): Html {
  return html`<li><a href="${pageUrl(page.space, page.path)}">${page.title}</a> <span class="quiet">${page.space}/${page.path}, ${time(new Date(page.updatedAt))} by ${page.updatedBy.name}</span></li>`
}
