import { Type } from 'typebox'
import { parseSlug } from '../../http/page-address.ts'
import { pagingParameters } from '../../http/paging.ts'
import type { Server } from '../../http/server.ts'
import { text } from '../../http/text.ts'
import { pagesOfSpace, recentPages } from '../../pages/list.ts'
import { mayMakeSpaces, readSpace, spacesOf } from '../../spaces/space.ts'
import { sendScreen } from '../screen.ts'
import { webhookNotice } from '../webhook-notice.ts'
import { browseScreen } from './browse-view.ts'
import { homeScreen } from './home-view.ts'

const { cursor } = pagingParameters
const params = Type.Object({ slug: Type.String() })
const homeQuery = Type.Object({ cursor, done: Type.Optional(Type.String()) }, { additionalProperties: false })
const browseQuery = Type.Object(
  {
    cursor,
    prefix: Type.Optional(text({ maxLength: 1024 })),
    made: Type.Optional(Type.Integer({ minimum: 0 })),
  },
  { additionalProperties: false },
)

/** Where a person begins, and the pages of a space. */
export async function homeRoutes(app: Server): Promise<void> {
  app.get('/', { schema: { hide: true, querystring: homeQuery } }, async (request, reply) => {
    const { ctx } = request
    const { done, ...paging } = request.query
    const [spaces, recent, warning] = await Promise.all([
      spacesOf(ctx, { limit: 60, ...paging }),
      recentPages(ctx, { limit: 20 }),
      webhookNotice(ctx),
    ])
    const view = { spaces, recent: recent.items, mayMakeSpaces: mayMakeSpaces(ctx.actor), warning, ...paging }
    const told = done === 'space-deleted' ? 'The space was deleted.' : undefined
    return sendScreen(reply, homeScreen({ ...view, done: told }))
  })

  app.get(
    '/browse/:slug',
    { schema: { hide: true, params, querystring: browseQuery } },
    async (request, reply) => {
      const slug = parseSlug(request.params.slug)
      const { made, prefix = '', ...paging } = request.query
      const [space, pages] = await Promise.all([
        readSpace(request.ctx, slug),
        pagesOfSpace(request.ctx, { space: slug, limit: 200, prefix, ...paging }),
      ])
      const done =
        made === undefined
          ? undefined
          : `The space was made, with ${made === 1 ? 'one page' : `${made} pages`}.`
      return sendScreen(reply, browseScreen({ space, pages, prefix, done, ...paging }))
    },
  )
}
