import { Readable } from 'node:stream'
import { AppError } from '@recto/contract/errors.ts'
import { parseName, toOrder } from '@recto/contract/filter-ops.ts'
import { parseSlug } from '@recto/contract/page-address.ts'
import { Type } from 'typebox'
import type { Ctx } from '../../../access/ctx.ts'
import { metadataKeys } from '../../../content/metadata/keys.ts'
import { type FoundPages, searchMetadata } from '../../../content/metadata/search.ts'
import { listVisibleSpaces, readSpace } from '../../../content/spaces/space.ts'
import { navigates } from '../../../platform/http/negotiate.ts'
import type { Server } from '../../../platform/http/server.ts'
import { filtersJson } from '../filters/state.ts'
import { orFormError, parseQuery, sendScreen } from '../screen.ts'
import { MAX_LISTED_SPACES } from '../space-field.ts'
import { csvHead, csvLine } from './csv.ts'
import { PARAMETERS, type ViewState, viewStateIn } from './state.ts'
import { viewScreen } from './view.ts'

const NOTHING: FoundPages = { items: [], nextCursor: null }
const DEFAULT_COLUMNS = 4
const PER_DOWNLOAD = 200

/** Its parameters, each of which may be repeated. */
const querystring = Type.Object(Object.fromEntries(PARAMETERS.map((name) => [name, Type.Optional(Type.Unknown())])))

/** Tables over the metadata of a space, or of all spaces. A view is not stored: its URL is its state. */
export async function viewRoutes(app: Server): Promise<void> {
  app.get(
    '/views/:slug?',
    { schema: { hide: true, params: Type.Object({ slug: Type.Optional(Type.String()) }), querystring } },
    async (request, reply) => {
      const { ctx } = request
      const slug = request.params.slug ? parseSlug(request.params.slug) : undefined
      const query = parseQuery(request)
      const state = viewStateIn(slug, query)
      const [space, spaces, keys] = await Promise.all([
        slug === undefined ? undefined : readSpace(ctx, slug),
        listVisibleSpaces(ctx, { limit: MAX_LISTED_SPACES }),
        metadataKeys(ctx, { limit: 200, ...(slug !== undefined && { space: slug }) }),
      ])
      const knownKeys = keys.items.map(({ key }) => key)
      const columns = chooseColumns(state, knownKeys)
      if (query.get('as') === 'csv') {
        return reply
          .type('text/csv; charset=utf-8')
          .header('Content-Disposition', `attachment; filename="${slug ?? 'pages'}.csv"`)
          .header('Vary', 'Accept, Sec-Fetch-Mode')
          .send(Readable.from(csv(ctx, state, columns, navigates(request))))
      }
      const foundPages = await orFormError(() => searchMetadata(ctx, { ...toInput(state), limit: 50 }))
      const error = foundPages instanceof AppError ? foundPages : undefined
      return sendScreen(
        reply,
        viewScreen({
          state,
          space,
          spaces: spaces.items,
          keys: knownKeys,
          columns,
          found: foundPages instanceof AppError ? NOTHING : foundPages,
          error,
          origin: ctx.config.publicUrl,
        }),
      )
    },
  )
}

/**
 * The chosen columns; else the keys of order and filters, then the most used keys by name: uses change with every edit.
 */
function chooseColumns({ columns, filters, orders }: ViewState, knownKeys: readonly string[]): string[] {
  if (columns.length > 0) return [...columns]
  const namedColumns = [...orders, ...filters].map(({ key }) => key)
  const keys = namedColumns.filter((name) => 'key' in parseName(name))
  const usedKeys = knownKeys.filter((key) => !keys.includes(key)).slice(0, Math.max(0, DEFAULT_COLUMNS - keys.length))
  return [...new Set([...keys, ...usedKeys.sort()])]
}

function toInput({ space, filters, orders, cursor }: ViewState) {
  const json = filtersJson(filters)
  return {
    includeMetadata: true,
    ...(space !== undefined && { space }),
    ...(json !== undefined && { filters: json }),
    ...toOrder({ sort: orders.map(({ key, order }) => `${key} ${order}`) }),
    ...(cursor !== undefined && { cursor }),
  }
}

/** All pages of the view, streamed. */
async function* csv(ctx: Ctx, state: ViewState, columns: readonly string[], forSpreadsheet: boolean) {
  // Without a byte order mark, Excel reads UTF-8 as an older encoding. Programs would take it for a part of the first
  // name.
  yield (forSpreadsheet ? '\uFEFF' : '') + csvHead(columns)
  for (let cursor: string | undefined | null; cursor !== null; ) {
    const page: FoundPages = await searchMetadata(ctx, { ...toInput({ ...state, cursor }), limit: PER_DOWNLOAD })
    yield page.items.map((item) => csvLine(item, columns)).join('')
    cursor = page.nextCursor
  }
}
