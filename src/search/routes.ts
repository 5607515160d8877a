import { Type } from 'typebox'
import { spaceParameter } from '../access/schema.ts'
import { parseSlug } from '../http/page-address.ts'
import { listOf, pagingParameters } from '../http/paging.ts'
import type { Server } from '../http/server.ts'
import { text } from '../http/text.ts'
import { hitSchema } from './schema.ts'
import { type SearchDeps, searchPages } from './search.ts'

/** Full-text search. */
export async function searchRoutes(app: Server, deps: SearchDeps): Promise<void> {
  app.get(
    '/search',
    {
      schema: {
        tags: ['Search'],
        summary: 'Find pages by their words',
        description:
          'All words must be there; `"a phrase"`, `-not` and `or` are understood, and the last word matches whatever begins with it. Case and accents do not count. Pages whose title has it all come first. Only pages that you can read are found.',
        querystring: Type.Object(
          {
            q: text({ maxLength: 1000, description: 'What to look for.' }),
            ...pagingParameters,
            space: Type.Optional(spaceParameter),
            filters: Type.Optional(
              Type.String({ description: 'A JSON array of metadata filters, as in `/search/metadata`.' }),
            ),
          },
          { additionalProperties: false },
        ),
        response: { 200: listOf(hitSchema) },
      },
    },
    (request) => {
      const { space, ...input } = request.query
      return searchPages(
        request.ctx,
        { ...input, ...(space !== undefined && { space: parseSlug(space) }) },
        deps,
      )
    },
  )
}
