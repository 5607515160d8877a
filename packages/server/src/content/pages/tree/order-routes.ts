import { parseSlug } from '@recto/contract/page-address.ts'
import { Type } from 'typebox'
import { withIdempotentResponse } from '../../../access/idempotency/idempotent-response.ts'
import { replayWithRole } from '../../../access/replay-authorization.ts'
import { spaceParams } from '../../../access/schema.ts'
import { declareEndpoints, registerRoutes } from '../../../platform/http/endpoint.ts'
import { SET_HEADERS } from '../../../platform/http/openapi/headers.ts'
import { nullable, strictObject, text } from '../../../platform/http/schemas.ts'
import { orderSchema } from '../schema.ts'
import { arrange, type FolderOrder, MAX_ARRANGED, readOrder, writeOrder } from './order.ts'

const { endpoint } = declareEndpoints('Spaces', spaceParams.properties)
const folder = text({ maxLength: 1024, description: 'The path of a folder; empty for the space.' })
const name = text({ minLength: 1, maxLength: 255 })

/** The manual order of folders in the page tree. */
export const orderRoutes = registerRoutes(
  endpoint({
    route: 'GET /spaces/:space/order',
    operationId: 'spaces.order.get',
    summary: 'Read the order of a folder',
    description: 'The manually ordered names of the folder. All others follow in natural order.',
    querystring: strictObject({ folder: Type.Optional(folder) }),
    response: { 200: orderSchema },
    handler: ({ ctx, params, query }) => readOrder(ctx, { space: parseSlug(params.space), folder: query.folder ?? '' }),
  }),
  endpoint({
    route: 'PUT /spaces/:space/order',
    config: { idempotency: replayWithRole('organizer'), headers: SET_HEADERS },
    operationId: 'spaces.order.set',
    summary: 'Set the order of a folder',
    description: 'Replaces the names that come first. With none, the folder is in natural order again.',
    body: strictObject({ folder, names: Type.Array(name, { maxItems: MAX_ARRANGED }) }),
    response: { 200: orderSchema },
    handler: (request, reply) => {
      const ctx = withIdempotentResponse(request, reply, (order: FolderOrder) => order)
      return writeOrder(ctx, { ...request.body, space: parseSlug(request.params.space) })
    },
  }),
  endpoint({
    route: 'POST /spaces/:space/order',
    config: { idempotency: replayWithRole('organizer'), headers: SET_HEADERS },
    operationId: 'spaces.order.place',
    summary: 'Put a page or folder after a sibling',
    description:
      `\`after\` is the name of the sibling; \`null\` puts it first. The names before it keep their ` +
      `places. At most the first ${MAX_ARRANGED} names of a folder can be put in order.`,
    body: strictObject({ path: text({ minLength: 1, maxLength: 1024 }), after: nullable(name) }),
    response: { 200: orderSchema },
    handler: (request, reply) => {
      const ctx = withIdempotentResponse(request, reply, (order: FolderOrder) => order)
      return arrange(ctx, { ...request.body, space: parseSlug(request.params.space) })
    },
  }),
)
