import { Type } from 'typebox'
import { spaceParameter } from '../access/schema.ts'
import { parseSlug } from '../http/page-address.ts'
import type { Server } from '../http/server.ts'
import { text } from '../http/text.ts'
import { findTitles } from './titles.ts'

const titledSchema = Type.Object({
  space: Type.String({ description: 'Slug of the space; `personal` is your own.' }),
  path: Type.String(),
  title: Type.String(),
  url: Type.String({ description: 'The address of the page on this service, such as `/pages/docs/start`.' }),
})

/** Finds pages by the beginning of their titles and paths: for completion. */
export async function titleRoutes(app: Server): Promise<void> {
  app.get(
    '/titles',
    {
      schema: {
        tags: ['Search'],
        operationId: 'pages.find',
        summary: 'Find pages by the beginning of a title or a path',
        description:
          'For whoever types: words may be begun, in any order; case and accents do not count. The best fit comes first: the very title, then titles that begin so. Without `q` the pages that were changed last. Only pages that you can read. It offers, it does not list: there is no cursor.',
        querystring: Type.Object(
          {
            q: Type.Optional(text({ maxLength: 300, default: '', description: 'What was typed.' })),
            space: Type.Optional(spaceParameter),
            limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, default: 10 })),
          },
          { additionalProperties: false },
        ),
        response: { 200: Type.Object({ items: Type.Array(titledSchema) }) },
      },
    },
    async (request) => {
      const { q = '', space, limit = 10 } = request.query
      const input = { q, limit, ...(space !== undefined && { space: parseSlug(space) }) }
      return { items: await findTitles(request.ctx, input) }
    },
  )
}
