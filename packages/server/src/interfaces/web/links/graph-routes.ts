import type { PageAddress } from '@recto/contract/page-address.ts'
import { pageUrl } from '@recto/contract/page-url.ts'
import { Type } from 'typebox'
import { readNeighbourhood } from '../../../content/links/neighbourhood.ts'
import { readPageLinks } from '../../../content/links/page-links.ts'
import type { Backlink, Neighbourhood, OutboundLink, PageLinksAnswer } from '../../../content/links/schema.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject } from '../../../platform/http/schemas.ts'
import { type Html, hiddenText, html, t, trusted } from '../html.ts'
import { pageFrame, type ScreenPage, screenAddress, screenPage } from '../page-screen.ts'
import { pagination } from '../rows.ts'
import { screenRoute } from '../screen.ts'
import { graphUrl, newPageUrl } from '../urls.ts'
import { BOX, layoutGraph, type PlacedNode } from './graph-layout.ts'

const query = strictObject({
  depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 3, default: 1 })),
  cursor: pagingParameters.cursor,
})

/** The links and backlinks of a page: as a graph that can be browsed, and as lists. */
export const graphRoutes = registerRoutes(
  screenRoute('/graph/:space/*', {
    query,
    view: async ({ ctx, params, query }) => {
      const address = screenAddress(params)
      const { depth = 1, cursor } = query
      const [page, neighbourhood, links] = await Promise.all([
        screenPage(ctx, address),
        readNeighbourhood(ctx, { ...address, depth }),
        readPageLinks(ctx, { ...address, ...(cursor !== undefined && { cursor }) }),
      ])
      const depths = [1, 2, 3].map(
        (value) =>
          html`<a class="button small" href="${graphUrl(page.space, page.path, { depth: value })}"${
            value === depth && trusted(' aria-current="true"')
          }>${value}</a>`,
      )
      return pageFrame(page, 'Links', {
        sheets: ['links.css'],
        heading: t('Links of {title}', { title: page.title }),
        actions: html`<nav class="choices" aria-label="${t('How many links away')}">
<span class="quiet">${t('Distance:')}</span> ${depths}</nav>`,
        column: 'wide',
        main: html`${
          neighbourhood.nodes.length > 1
            ? graph(page, neighbourhood, depth)
            : html`<p class="empty">${t('This page has no links yet. Write {code} in a page to link to it.', {
                code: html`<code>[text](./other-page)</code>`,
              })}</p>`
        }
<div class="both-lists">
<section aria-labelledby="backlinks"><h2 id="backlinks">${t('Linked from')}</h2>
${backlinks(page, links, depth, cursor === undefined)}</section>
<section aria-labelledby="outbound"><h2 id="outbound">${t('Links to')}</h2>${
          links.outbound.length === 0
            ? html`<p class="quiet">${t('This page has no links.')}</p>`
            : html`<ul class="rows">${links.outbound.map((link) => outbound(page, link))}</ul>`
        }</section>
</div>`,
      })
    },
  }),
)

function graph(page: ScreenPage, neighbourhood: Neighbourhood, depth: number): Html {
  const { width, height, nodes, edges } = layoutGraph(neighbourhood)
  return html`<div class="graph-wrap" tabindex="0" role="region" aria-label="${t('Graph of links')}">
<svg class="graph" role="group" aria-label="${t(
    'Pages that link to {title} are on its left, pages that it links to on its right',
    { title: page.title },
  )}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path
  d="M0 0L8 4L0 8z"/></marker></defs>
<g class="edges">${edges.map(({ path }) => html`<path d="${path}" marker-end="url(#arrow)"/>`)}</g>
${nodes.map((placedNode) => box(page, placedNode, depth))}
</svg></div>
<p class="quiet">${t('Select a page to see its links.')} ${
    neighbourhood.truncated && html`${t('Some pages are not shown.')} `
  }${page.editable ? t('Missing pages are dashed (select one to create it).') : t('Missing pages are dashed.')}</p>`
}

function box(page: ScreenPage, { node, label, x, y }: PlacedNode, depth: number): Html {
  const { space, path, title, exists, distance } = node
  const kind = distance === 0 ? 'middle' : exists === false ? 'absent' : exists === null ? 'unknown' : ''
  const shape = html`<rect x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="6"/><text
    x="${x + BOX.width / 2}" y="${y + BOX.height / 2}">${label}</text><title>${title ?? path} · ${space} / ${path}${
      exists === false && html` (${t('missing')})`
    }</title>`
  if (exists === null) return html`<g class="node unknown">${shape}</g>\n`
  const href =
    exists === false
      ? missingUrl(page, { space, path })
      : distance === 0
        ? pageUrl(space, path)
        : graphUrl(space, path, { depth })
  return html`<a class="node ${kind}" href="${href}"${distance === 0 && trusted(' aria-current="page"')}>${shape}</a>\n`
}

/** The form that creates the page, for editors of its space; else the page, which returns 404. */
function missingUrl(page: ScreenPage, { space, path }: PageAddress): string {
  return page.editable && space === page.space ? newPageUrl(space, { path }) : pageUrl(space, path)
}

function outbound(page: ScreenPage, { space, path, text, line, exists, title, redirected }: OutboundLink): Html {
  const name = title ?? path
  const nameHtml =
    exists === null
      ? html`<span>${name}</span>`
      : exists
        ? html`<a href="${pageUrl(space, path)}">${name}</a> <a class="quiet" href="${graphUrl(space, path)}">${t(
            'its links<hidden> ({page})</hidden>',
            { page: name, hidden: hiddenText },
          )}</a>`
        : html`<a class="missing" href="${missingUrl(page, { space, path })}">${name}</a> <span
          class="badge warning">${t('missing')}</span>`
  return html`<li>${nameHtml}${redirected && html` <span class="badge">${t('moved')}</span>`}<br><span
    class="quiet">${t('line {line}: “{text}”', { line, text })} · ${space} / ${path}</span></li>`
}

function backlinks(
  page: ScreenPage,
  { backlinks: items, nextCursor }: PageLinksAnswer,
  depth: number,
  first: boolean,
): Html {
  if (items.length === 0) return html`<p class="quiet">${t('No pages link here.')}</p>`
  return html`<ul class="rows">${items.map(backlink)}</ul>
${pagination(
  t('More pages that link here'),
  !first && [graphUrl(page.space, page.path, { depth }), t('First')],
  nextCursor !== null && [graphUrl(page.space, page.path, { depth, cursor: nextCursor }), t('More')],
)}`
}

function backlink({ space, path, title, text }: Backlink): Html {
  return html`<li><a href="${pageUrl(space, path)}">${title}</a> <a class="quiet" href="${graphUrl(space, path)}">${t(
    'its links<hidden> ({page})</hidden>',
    { page: title, hidden: hiddenText },
  )}</a><br><span class="quiet">“${text}” · ${space} / ${path}</span></li>`
}
