import { pageUrl } from '@recto/contract/page-address.ts'
import type { Neighbour, Neighbours } from '../../../content/pages/tree/neighbours.ts'
import { type Html, html } from '../html.ts'

/** Links to the pages before and after a page, as a fragment. */
export function neighboursView(space: string, { previous, next }: Neighbours): Html {
  return html`${link(space, previous, 'prev', 'Previous')}${link(space, next, 'next', 'Next')}`
}

function link(space: string, page: Neighbour | undefined, rel: 'prev' | 'next', text: string): Html | undefined {
  return (
    page &&
    html`<a class="${rel}" rel="${rel}" href="${pageUrl(space, page.path)}"><span class="quiet">${text}</span> <span class="name" dir="auto">${page.title}</span></a>`
  )
}
