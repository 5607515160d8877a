import { Type } from 'typebox'
import { spaceParameter } from '../access/schema.ts'
import { parseSlug } from '../http/page-address.ts'
import { listOf, pagingParameters } from '../http/paging.ts'
import type { Server } from '../http/server.ts'
import { text } from '../http/text.ts'
import { FILTER_OPS } from './filters.ts'
import { metadataKeys } from './keys.ts'
import { foundPageSchema, keyUseSchema } from './schema.ts'
import { searchMetadata } from './search.ts'

const tags = ['Metadata']
const space = Type.Optional(spaceParameter)

/** What finds pages by their metadata. */
export async function metadataSearchRoutes(app: Server): Promise<void> {
  app.get(
    '/search/metadata',
    {
      schema: {
        tags,
        summary: 'Find pages by their metadata',
        description:
          'Pages that you can read and that meet every filter. Numbers rank before dates, dates before other strings, these before anything else; pages without the key come last in both directions, ties by space and path.',
        querystring: Type.Object(
          {
            ...pagingParameters,
            filters: Type.Optional(
              Type.String({
                description: `A JSON array of at most 20 objects of key, op and value. Ops: ${FILTER_OPS.join(', ')}.`,
              }),
            ),
            orderBy: Type.Optional(text({ description: 'The key whose values rank the pages.' })),
            order: Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')])),
            space,
            includeMetadata: Type.Optional(
              Type.Boolean({ description: 'Whether each item has its `metadata`.' }),
            ),
          },
          { additionalProperties: false },
        ),
        response: { 200: listOf(foundPageSchema) },
      },
    },
    (request) => {
      const { space: slug, ...input } = request.query
      return searchMetadata(request.ctx, { ...input, ...(slug !== undefined && { space: parseSlug(slug) }) })
    },
  )

  app.get(
    '/search/metadata/keys',
    {
      schema: {
        tags,
        summary: 'List the metadata keys in use, the most used first',
        querystring: Type.Object(
          {
            ...pagingParameters,
            space,
            prefix: Type.Optional(text({ maxLength: 128, description: 'Only keys that begin so.' })),
          },
          { additionalProperties: false },
        ),
        response: { 200: listOf(keyUseSchema) },
      },
    },
    (request) => {
      const { space: slug, ...input } = request.query
      return metadataKeys(request.ctx, { ...input, ...(slug !== undefined && { space: parseSlug(slug) }) })
    },
  )
}
