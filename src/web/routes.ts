import { Type } from 'typebox'
import { parseSlug } from '../http/page-address.ts'
import { pagingParameters } from '../http/paging.ts'
import type { Server } from '../http/server.ts'
import { text } from '../http/text.ts'
import { pagesOfSpace, recentPages } from '../pages/list.ts'
import { readSpace, spacesOf } from '../spaces/space.ts'
import { assetRoutes } from './asset-routes.ts'
import { acceptForms } from './forms.ts'
import { historyRoutes } from './history/routes.ts'
import { homeDocument } from './home-view.ts'
import { referenceDocument } from './reference-view.ts'
import { spaceDocument } from './space-view.ts'

const config = { public: true }
const HTML = 'text/html; charset=utf-8'

/** What browsers see beside pages. */
export async function webRoutes(app: Server): Promise<void> {
  acceptForms(app)
  await app.register(assetRoutes)
  await app.register(historyRoutes)

  app.get(
    '/',
    { schema: { hide: true, querystring: Type.Object({}, { additionalProperties: false }) } },
    async (request, reply) => {
      const [spaces, recent] = await Promise.all([
        spacesOf(request.ctx, { limit: 200 }),
        recentPages(request.ctx, { limit: 20 }),
      ])
      return reply
        .type(HTML)
        .header('Cache-Control', 'private, no-cache')
        .send(homeDocument({ spaces: spaces.items, recent: recent.items }))
    },
  )

  app.get(
    '/browse/:slug',
    {
      schema: {
        hide: true,
        params: Type.Object({ slug: Type.String() }),
        querystring: Type.Object(
          { cursor: pagingParameters.cursor, prefix: Type.Optional(text({ maxLength: 1024 })) },
          { additionalProperties: false },
        ),
      },
    },
    async (request, reply) => {
      const slug = parseSlug(request.params.slug)
      const space = await readSpace(request.ctx, slug)
      const { items, nextCursor } = await pagesOfSpace(request.ctx, {
        space: slug,
        limit: 200,
        ...request.query,
      })
      return reply
        .type(HTML)
        .header('Cache-Control', 'private, no-cache')
        .send(spaceDocument({ space, pages: items, next: nextCursor, prefix: request.query.prefix ?? '' }))
    },
  )

  app.get('/docs', { config, schema: { hide: true } }, async (_, reply) =>
    reply.type(HTML).send(referenceDocument(app.swagger())),
  )
}
