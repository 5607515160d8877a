import { pageUrl } from '@recto/contract/page-url.ts'
import type { Neighbour, Neighbours } from '../../../content/pages/tree/neighbours.ts'
import { type Html, html, t } from '../html.ts'

/** Links to the pages before and after a page, as a fragment. */
export function neighboursView(space: string, { previous, next }: Neighbours): Html {
  const toUrl = (path: string) => pageUrl(space, path)
  return html`${neighbourLink(previous, 'prev', toUrl)}${neighbourLink(next, 'next', toUrl)}`
}

/** The link to the page before or after another one, if there is one. */
export function neighbourLink(
  page: Neighbour | undefined,
  rel: 'prev' | 'next',
  toUrl: (path: string) => string,
): Html | undefined {
  const text = rel === 'prev' ? t('Previous') : t('Next')
  return (
    page &&
    html`<a class="${rel}" rel="${rel}" href="${toUrl(page.path)}"><span class="quiet">${text}</span> <span class="name"
      dir="auto">${page.title}</span></a>`
  )
}
