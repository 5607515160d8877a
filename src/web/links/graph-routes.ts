import { Type } from 'typebox'
import { pagingParameters } from '../../http/paging.ts'
import type { Server } from '../../http/server.ts'
import { readNeighbourhood } from '../../links/neighbourhood.ts'
import { readPageLinks } from '../../links/page-links.ts'
import { screenAddress, screenPage, screenParams } from '../page-screen.ts'
import { screenRoute } from '../screen.ts'
import { graphScreen } from './graph-view.ts'

const query = Type.Object(
  {
    depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 3, default: 1 })),
    cursor: pagingParameters.cursor,
  },
  { additionalProperties: false },
)

/** The links and backlinks of a page: as a graph that can be browsed, and as lists. */
export async function graphRoutes(app: Server): Promise<void> {
  screenRoute(app, '/graph/:space/*', {
    params: screenParams,
    query,
    view: async ({ ctx, params, query }) => {
      const address = screenAddress(params)
      const { depth = 1, cursor } = query
      const [page, neighbourhood, links] = await Promise.all([
        screenPage(ctx, address),
        readNeighbourhood(ctx, { ...address, depth }),
        readPageLinks(ctx, { ...address, ...(cursor !== undefined && { cursor }) }),
      ])
      return graphScreen({ page, neighbourhood, links, depth, first: cursor === undefined })
    },
  })
}
