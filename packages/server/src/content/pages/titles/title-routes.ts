import { parseSlug } from '@recto/contract/page-address.ts'
import { Type } from 'typebox'
import { spaceParameter } from '../../../access/schema.ts'
import { declareEndpoints, registerRoutes } from '../../../platform/http/endpoint.ts'
import { strictObject, text } from '../../../platform/http/schemas.ts'
import { suggestionsSchema, titledSchema } from '../schema.ts'
import { suggestSearches } from './search-suggest.ts'
import { findTitles } from './titles.ts'

const { endpoint } = declareEndpoints('Search')

/** Completion: pages by prefixes of their titles and paths, and search suggestions. */
export const titleRoutes = registerRoutes(
  endpoint({
    route: 'GET /titles',
    operationId: 'pages.find',
    summary: 'Find pages by a prefix of a title or a path',
    description:
      'For completion: words may be prefixes, in any order; case and accents do not count. Best match first: ' +
      'the exact title, then titles with this prefix. Without `q` the pages that were changed last. ' +
      'Only pages that you can read. It offers, it does not list: there is no cursor.',
    querystring: strictObject({
      q: Type.Optional(text({ maxLength: 300, default: '', description: 'What was typed.' })),
      space: Type.Optional(spaceParameter),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 10 })),
    }),
    response: { 200: Type.Object({ items: Type.Array(titledSchema) }) },
    handler: async (request) => {
      const { q = '', space, limit = 10 } = request.query
      const input = { q, limit, ...(space !== undefined && { space: parseSlug(space) }) }
      return { items: await findTitles(request.ctx, input) }
    },
  }),
  endpoint({
    route: 'GET /search/suggest',
    operationId: 'search.suggest',
    summary: 'Suggest searches while someone types',
    description:
      'Pages by title and path, headings, and completions of the last word; words may be prefixes. ' +
      'Only of pages that you can read. Headings and words are those of the newest 400 of them, ' +
      'at least of 5 in each space.',
    querystring: strictObject({
      q: text({ maxLength: 300, description: 'What was typed.' }),
      space: Type.Optional(spaceParameter),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 20, default: 8, description: 'The maximum of each kind.' }),
      ),
    }),
    response: { 200: suggestionsSchema },
    handler: (request) => {
      const { q, space, limit = 8 } = request.query
      return suggestSearches(request.ctx, { q, limit, ...(space !== undefined && { space: parseSlug(space) }) })
    },
  }),
)
