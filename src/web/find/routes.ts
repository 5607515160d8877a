import { AppError } from '../../errors.ts'
import { parseSlug } from '../../http/page-address.ts'
import type { List } from '../../http/paging.ts'
import type { Server } from '../../http/server.ts'
import { metadataKeys } from '../../metadata/keys.ts'
import { recentPages } from '../../pages/list.ts'
import type { Hit } from '../../search/schema.ts'
import { type SearchDeps, searchPages } from '../../search/search.ts'
import { spacesOf } from '../../spaces/space.ts'
import { filtersIn, filtersJson } from '../filters/state.ts'
import { orError } from '../or-error.ts'
import { queryOf } from '../query.ts'
import { sendDocument } from '../screen.ts'
import { findDocument } from './view.ts'

const NOTHING: List<Hit> = { items: [], nextCursor: null }
const PER_PAGE = 20

/** The search page. */
export async function findRoutes(app: Server, deps: SearchDeps): Promise<void> {
  app.get('/find', { schema: { hide: true } }, async (request, reply) => {
    const { ctx } = request
    const query = queryOf(request)
    const q = query.get('q') ?? ''
    const space = query.get('space') || undefined
    const filters = filtersIn(query)
    const cursor = query.get('cursor') ?? undefined
    const asked = {
      q: q.slice(0, 1000),
      limit: PER_PAGE,
      ...(cursor !== undefined && { cursor }),
      ...(space !== undefined && { space: parseSlug(space) }),
    }
    const json = filtersJson(filters)
    const search = () => searchPages(ctx, { ...asked, ...(json !== undefined && { filters: json }) }, deps)
    const [spaces, keys, recent, found] = await Promise.all([
      spacesOf(ctx, { limit: 200 }),
      metadataKeys(ctx, { limit: 200 }),
      q.trim() === '' ? recentPages(ctx, { limit: PER_PAGE }) : undefined,
      q.trim() === '' ? NOTHING : orError(['invalid_request', 'invalid_cursor'], search),
    ])
    const refusal = found instanceof AppError ? found : undefined
    const document = findDocument({
      q,
      space,
      filters,
      first: cursor === undefined,
      spaces: spaces.items,
      keys: keys.items.map(({ key }) => key),
      recent: recent?.items ?? [],
      found: found instanceof AppError ? NOTHING : found,
      refusal,
    })
    return sendDocument(reply, document, refusal ? 400 : 200)
  })
}
