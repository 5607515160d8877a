import { parseSlug } from '@recto/contract/page-address.ts'
import { pageUrl } from '@recto/contract/page-url.ts'
import { Type } from 'typebox'
import type { Ctx } from '../../../access/ctx.ts'
import { pagesOfSpace } from '../../../content/pages/list.ts'
import { listVisibleSpaces } from '../../../content/spaces/space.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { strictObject } from '../../../platform/http/schemas.ts'
import { type Html, html } from '../html.ts'
import { browseUrl, SITEMAP, sitemapUrl } from '../urls.ts'

/** Of one sitemap; sitemaps.org allows 50,000. */
const MAX_PAGES = 10_000
const MAX_SPACES = 200
const XMLNS = 'http://www.sitemaps.org/schemas/sitemap/0.9'
const query = strictObject({ space: Type.Optional(Type.String()) })

/** What programs that index public spaces ask for: robots.txt (RFC 9309), and the sitemaps (sitemaps.org). */
export const crawlerRoutes = registerRoutes<{ readonly origin: () => string; readonly publicIndexing: boolean }>(
  (app, { origin, publicIndexing }) =>
    app.get('/robots.txt', { config: { public: true }, schema: { hide: true } }, async (_, reply) => {
      const allowLines = ['/$', '/pages/', browseUrl(''), '/files/', '/assets/', SITEMAP].map(
        (path) => `Allow: ${path}`,
      )
      const lines = publicIndexing
        ? [...allowLines, 'Disallow: /', '', `Sitemap: ${origin()}${SITEMAP}`]
        : ['Disallow: /']
      return reply.type('text/plain; charset=utf-8').send(['User-agent: *', ...lines, ''].join('\n'))
    }),
  (app) =>
    app.get<{ Querystring: { space?: string } }>(
      SITEMAP,
      { config: { visitors: ['space'] }, schema: { hide: true, querystring: query } },
      async ({ ctx, query: { space } }, reply) => {
        const { text } = space === undefined ? await listSitemaps(ctx) : await listPages(ctx, parseSlug(space))
        return reply
          .header('Cache-Control', 'private, no-cache')
          .type('application/xml; charset=utf-8')
          .send(`<?xml version="1.0" encoding="UTF-8"?>\n${text}\n`)
      },
    ),
)

async function listSitemaps(ctx: Ctx): Promise<Html> {
  const { items } = await listVisibleSpaces(ctx, { limit: MAX_SPACES })
  const maps = items
    .filter(({ visibility }) => visibility === 'public')
    .map(({ slug }) => html`<sitemap><loc>${ctx.config.publicUrl}${sitemapUrl(slug)}</loc></sitemap>`)
  return html`<sitemapindex xmlns="${XMLNS}">${maps}</sitemapindex>`
}

async function listPages(ctx: Ctx, space: string): Promise<Html> {
  const { items } = await pagesOfSpace(ctx, { space, limit: MAX_PAGES })
  const urls = items.map(
    ({ path, updatedAt }) =>
      html`<url><loc>${ctx.config.publicUrl}${pageUrl(space, path)}</loc><lastmod>${updatedAt}</lastmod></url>`,
  )
  return html`<urlset xmlns="${XMLNS}">${urls}</urlset>`
}
