import { parseSlug } from '@recto/contract/page-address.ts'
import { Type } from 'typebox'
import { spaceParameter } from '../../../access/schema.ts'
import { endpoint, registerRoutes } from '../../../platform/http/endpoint.ts'
import { listSchema, pagingParameters, strictObject } from '../../../platform/http/schemas.ts'
import { pageTemplates } from './page-template.ts'
import { pageTemplateSchema } from './schema.ts'

export const pageTemplateRoutes = registerRoutes(
  endpoint({
    route: 'GET /templates',
    tags: ['Page templates'],
    operationId: 'templates.list',
    summary: 'List the page templates that you can read',
    description: 'A page template is a page below `templates/` of a space.',
    querystring: strictObject({
      space: Type.Optional(spaceParameter),
      includeContent: Type.Optional(Type.Boolean({ description: 'Include the `content` of each template.' })),
      ...pagingParameters,
    }),
    response: { 200: listSchema(pageTemplateSchema) },
    handler: (request) => {
      const { space, ...query } = request.query
      return pageTemplates(request.ctx, { ...query, ...(space !== undefined && { space: parseSlug(space) }) })
    },
  }),
)
