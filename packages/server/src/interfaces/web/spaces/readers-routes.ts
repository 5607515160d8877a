import { findReadablePage } from '../../../access/page.ts'
import { listReadersAt } from '../../../content/spaces/rules/readers.ts'
import { findNearestRule } from '../../../content/spaces/rules/rules.ts'
import { readSpace } from '../../../content/spaces/space.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject } from '../../../platform/http/schemas.ts'
import { screenAddress, screenParams } from '../page-screen.ts'
import { screenRoute } from '../screen.ts'
import { readersScreen } from './readers-view.ts'

const READERS_PER_SCREEN = 50

/** Who can read a page or a folder. Guests are not told. */
export const readersRoutes = registerRoutes(
  screenRoute('/readers/:space/*', {
    params: screenParams,
    query: strictObject({ cursor: pagingParameters.cursor }),
    view: async ({ ctx, params, query: { cursor } }) => {
      const { space: slug, path } = screenAddress(params)
      const paging = { limit: READERS_PER_SCREEN, ...(cursor !== undefined && { cursor }) }
      const readers = await listReadersAt(ctx, { space: slug, path, ...paging })
      const [space, page] = await Promise.all([readSpace(ctx, slug), findReadablePage(ctx, { space: slug, path })])
      const rule = space.role === 'admin' ? await findNearestRule(ctx, { space: slug, prefix: path }) : undefined
      return readersScreen({
        space,
        path,
        isPage: page !== undefined,
        readers,
        cursor,
        rule: space.role === 'admin' ? (rule?.prefix ?? null) : undefined,
      })
    },
  }),
)
