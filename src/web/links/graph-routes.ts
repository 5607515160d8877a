import { Type } from 'typebox'
import { pagingParameters } from '../../http/paging.ts'
import type { Server } from '../../http/server.ts'
import { readNeighbourhood } from '../../links/neighbourhood.ts'
import { readPageLinks } from '../../links/page-links.ts'
import { screenAddress, screenPage, screenParams } from '../page-screen.ts'
import { sendDocument } from '../screen.ts'
import { graphDocument } from './graph-view.ts'

const query = Type.Object(
  {
    depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 3, default: 1 })),
    cursor: pagingParameters.cursor,
  },
  { additionalProperties: false },
)

/** What a page links to and what links to it: as a graph that can be walked, and as lists. */
export async function graphRoutes(app: Server): Promise<void> {
  app.get(
    '/graph/:space/*',
    { schema: { hide: true, params: screenParams, querystring: query } },
    async (request, reply) => {
      const { ctx } = request
      const address = screenAddress(request.params)
      const { depth = 1, cursor } = request.query
      const [page, neighbourhood, links] = await Promise.all([
        screenPage(ctx, address),
        readNeighbourhood(ctx, { ...address, depth }),
        readPageLinks(ctx, { ...address, ...(cursor !== undefined && { cursor }) }),
      ])
      return sendDocument(
        reply,
        graphDocument({ page, neighbourhood, links, depth, first: cursor === undefined }),
      )
    },
  )
}
