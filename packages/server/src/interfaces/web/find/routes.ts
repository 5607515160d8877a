import { AppError } from '@recto/contract/errors.ts'
import { parseSlug } from '@recto/contract/page-address.ts'
import { metadataKeys } from '../../../content/metadata/keys.ts'
import { recentPages } from '../../../content/pages/list.ts'
import type { SearchResult } from '../../../content/search/schema.ts'
import { type SearchDeps, searchPages } from '../../../content/search/search.ts'
import { listVisibleSpaces } from '../../../content/spaces/space.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { filtersIn, filtersJson } from '../filters/state.ts'
import { orFormError, parseQuery, screenRoute } from '../screen.ts'
import { MAX_LISTED_SPACES } from '../space-field.ts'
import { findScreen } from './view.ts'

const NOTHING: SearchResult = { items: [], nextCursor: null }
const PER_PAGE = 20

/** The search page. */
export const findRoutes = registerRoutes<SearchDeps>(
  screenRoute('/find', {
    config: { visitors: ['q', 'space', 'cursor', 'typed'] },
    view: async (request, deps) => {
      const { ctx } = request
      const query = parseQuery(request)
      const q = query.get('q') ?? ''
      const space = query.get('space') || undefined
      const filters = filtersIn(query)
      const cursor = query.get('cursor') ?? undefined
      const json = filtersJson(filters)
      const isVisitor = ctx.actor.visitor !== undefined
      const search = () => {
        const input = {
          q: q.slice(0, 1000),
          limit: PER_PAGE,
          ...(cursor !== undefined && { cursor }),
          asTyped: query.has('typed'),
          ...(space !== undefined && { space: parseSlug(space) }),
          ...(json !== undefined && { filters: json }),
        }
        return searchPages(ctx, input, deps)
      }
      const isEmpty = q.trim() === ''
      const [spaces, keys, recent, found] = await Promise.all([
        listVisibleSpaces(ctx, { limit: MAX_LISTED_SPACES }),
        isVisitor ? undefined : metadataKeys(ctx, { limit: 200 }),
        isEmpty ? recentPages(ctx, { limit: PER_PAGE, templates: 'out' }) : undefined,
        isEmpty ? NOTHING : orFormError(search),
      ])
      const error = found instanceof AppError ? found : undefined
      if (isVisitor && error?.code === 'not_found') throw error // they are sent to sign in
      return findScreen({
        q,
        space,
        filters,
        first: cursor === undefined,
        spaces: spaces.items,
        keys: keys?.items.map(({ key }) => key),
        recent: recent?.items ?? [],
        found: found instanceof AppError ? NOTHING : found,
        error,
      })
    },
  }),
)
