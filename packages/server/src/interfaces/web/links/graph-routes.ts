import { Type } from 'typebox'
import { readNeighbourhood } from '../../../content/links/neighbourhood.ts'
import { readPageLinks } from '../../../content/links/page-links.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject } from '../../../platform/http/schemas.ts'
import { screenAddress, screenPage } from '../page-screen.ts'
import { screenRoute } from '../screen.ts'
import { graphScreen } from './graph-view.ts'

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
      return graphScreen({ page, neighbourhood, links, depth, first: cursor === undefined })
    },
  }),
)
