import { parseSlug } from '@recto/contract/page-address.ts'
import { Type } from 'typebox'
import { isOverlaid } from '../../access/overlay.ts'
import { spaceParameter } from '../../access/schema.ts'
import { TRUST_LEVELS } from '../../access/verification.ts'
import { endpoint, registerRoutes } from '../../platform/http/endpoint.ts'
import { enumSchema, pagingParameters, strictObject, text } from '../../platform/http/schemas.ts'
import { searchResultSchema } from './schema.ts'
import { type SearchDeps, searchPages } from './search.ts'
import { searchDrafted } from './search-drafts.ts'
import { tokensSchema } from './snippets/passages.ts'

/** Full-text search. */
export const searchRoutes = registerRoutes<SearchDeps>(
  endpoint({
    route: 'GET /search',
    config: {
      changeRequest: 'read',
      errors: ['markdown_busy'],
      visitors: ['q', 'space', 'filters', 'limit', 'cursor'],
    },
    tags: ['Search'],
    operationId: 'search.pages',
    summary: 'Full-text search',
    description:
      'Finds pages that have the words in any form; ' +
      'where few have all of them, also pages that have most of their weight, with `missing`. ' +
      'Supports `"a phrase"`, `-not`, `OR` and the operators `in:`, `by:`, `before:`, `after:`, `title:`, `path:`, ' +
      '`has:` and `trust:`; the last word is a prefix. Ignores case and accents. ' +
      'Pages whose title meets the query come first. ' +
      'Page templates are left out, unless `in:templates` or `path:templates/` asks for them. ' +
      'Finds only pages that you can read. Through a change request of the `space`, ' +
      'pages whose text it changes come last, if they have all words.',
    querystring: strictObject({
      q: text({ maxLength: 1000, description: 'The query.' }),
      ...pagingParameters,
      space: Type.Optional(spaceParameter),
      filters: Type.Optional(
        Type.String({ description: 'A JSON array of metadata filters, as in `/search/metadata`.' }),
      ),
      minTrust: Type.Optional(
        enumSchema(
          TRUST_LEVELS,
          'Only pages whose verification is current (`verified`), or those and pages that a person wrote last ' +
            '(`person`). As `trust:` in the query.',
        ),
      ),
      passages: Type.Optional(
        Type.Boolean({ description: 'Whether pages have the passages that are about the query, with their author.' }),
      ),
      tokens: Type.Optional(tokensSchema),
    }),
    response: { 200: searchResultSchema },
    handler: ({ ctx, query: { space, ...input } }, _reply, deps) =>
      isOverlaid(ctx)
        ? searchDrafted(ctx, input, deps)
        : searchPages(ctx, { ...input, ...(space !== undefined && { space: parseSlug(space) }) }, deps),
  }),
)
