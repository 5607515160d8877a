import { addressIn, parseSlug } from '@recto/contract/page-address.ts'
import { Type } from 'typebox'
import { sendTagged } from '../../access/entity-tag.ts'
import { withIdempotentResponse } from '../../access/idempotency/idempotent-response.ts'
import { parsePreconditions } from '../../access/preconditions.ts'
import { replayWithRole } from '../../access/replay-authorization.ts'
import { pageParams, spaceParameter } from '../../access/schema.ts'
import { declareEndpoints, registerRoutes } from '../../platform/http/endpoint.ts'
import { withEtag } from '../../platform/http/headers/response-headers.ts'
import { PAGE_WRITE_ERRORS } from '../../platform/http/openapi/errors.ts'
import { notModifiedSchema, TAGGED_HEADERS, WRITE_HEADERS } from '../../platform/http/openapi/headers.ts'
import { listSchema, pagingParameters, pagingQuery, strictObject, text } from '../../platform/http/schemas.ts'
import { type EditedPage, editPage } from './edit.ts'
import { favouriteRoutes } from './favourites/routes.ts'
import { recentPages } from './list.ts'
import { batchGet } from './many/batch-get.ts'
import type { WrittenPage } from './page-write.ts'
import { maxJsonBytes, type PutRouteOptions, putRoutes } from './put-routes.ts'
import { makeLatest, pageHistory } from './revisions.ts'
import * as schema from './schema.ts'
import { shareRoutes } from './shares/share-routes.ts'
import { titleRoutes } from './titles/title-routes.ts'
import { orderRoutes } from './tree/order-routes.ts'
import { formatParameter, sendPages } from './tree/subtree-response.ts'
import { unsavedRoutes } from './unsaved/routes.ts'
import { verificationRoutes } from './verification/routes.ts'

const pages = declareEndpoints('Pages', pageParams.properties)
const revisions = declareEndpoints('Revisions', pageParams.properties)
const prefixQuery = strictObject({
  ...pagingParameters,
  format: formatParameter,
  prefix: Type.Optional(text({ maxLength: 1024, description: 'Only paths that start with this.' })),
})
const listProduces = ['application/json', 'text/markdown']

/** Pages and their revisions. `reading/` sends their representations. */
export const pageRoutes = registerRoutes<PutRouteOptions>(
  (app, options) => app.register(putRoutes, options),
  pages.endpoint({
    route: 'PATCH /pages/:space/:path',
    config: {
      changeRequest: 'propose',
      errors: ['edit_not_applicable', 'invalid_body', 'precondition_required', ...PAGE_WRITE_ERRORS],
      idempotency: replayWithRole('editor'),
      checksText: true,
      headers: WRITE_HEADERS,
    },
    bodyLimit: maxJsonBytes,
    operationId: 'pages.edit',
    summary: 'Edit parts of a page',
    description:
      'Needs `If-Match`. The edits are applied in order, all or none, as one revision. Sections follow the Markdown ' +
      'parse: a `#` in a code block is no heading. Nothing outside the edits changes.',
    body: schema.editPageSchema,
    response: { 200: schema.editedPageSchema },
    handler: async (request, reply) => {
      const { space, path } = addressIn(request.params)
      const { edits, note } = request.body
      const preconditions = parsePreconditions(request.headers)
      const respond = ({ page, changes }: EditedPage) => ({ ...withEtag(reply, page), changes: [...changes] })
      const ctx = withIdempotentResponse(request, reply, respond)
      return reply.send(respond(await editPage(ctx, { space, path, edits, note, preconditions })))
    },
  }),
  titleRoutes,
  orderRoutes,
  favouriteRoutes,
  shareRoutes,
  unsavedRoutes,
  verificationRoutes,
  pages.endpoint({
    route: 'POST /pages/batch-get',
    config: { scope: 'read' },
    operationId: 'pages.batchGet',
    summary: 'Read up to 100 pages',
    description:
      'The items are in the order of the request. Moved pages are followed. Each page counts as a request of the ' +
      'rate limit. The bodies of one response have at most 8 MiB: an item beyond has the status 413.',
    body: schema.batchGetSchema,
    response: { 200: Type.Object({ items: Type.Array(schema.batchItemSchema) }) },
    handler: async (request, reply) => {
      const { pages } = request.body
      if (pages.length > 1) await request.countFurther?.(pages.length - 1)
      reply.header('Cache-Control', 'private, no-cache')
      return { items: await batchGet(request.ctx, pages, request.id) }
    },
  }),
  revisions.endpoint({
    route: 'GET /pages/:space/:path/versions',
    config: { headers: TAGGED_HEADERS },
    operationId: 'pages.versions.list',
    summary: 'List the revisions of a page, newest first',
    querystring: pagingQuery,
    response: { 200: listSchema(schema.revisionSchema), 304: notModifiedSchema },
    handler: async (request, reply) => {
      const revisions = await pageHistory(request.ctx, { ...addressIn(request.params), ...request.query })
      return sendTagged(request, reply, revisions)
    },
  }),
  revisions.endpoint({
    route: 'POST /pages/:space/:path/versions/:n/make-latest',
    config: {
      changeRequest: 'propose',
      errors: [...PAGE_WRITE_ERRORS],
      idempotency: replayWithRole('editor'),
      headers: WRITE_HEADERS,
    },
    operationId: 'pages.versions.restore',
    summary: 'Promote a revision to be the latest',
    description: 'Appends a revision with the body of revision n. `If-Match` is honoured when sent.',
    params: schema.versionParams,
    response: { 200: schema.pageAfterWriteSchema },
    handler: async (request, reply) => {
      const { space, path } = addressIn(request.params)
      const preconditions = parsePreconditions(request.headers, false)
      const respond = (page: schema.PageAfterWrite) => withEtag(reply, page)
      const ctx = withIdempotentResponse(request, reply, ({ page }: WrittenPage) => respond(page))
      return respond(await makeLatest(ctx, { space, path, version: request.params.n, preconditions }))
    },
  }),
  pages.endpoint({
    route: 'GET /pages/personal',
    operationId: 'pages.listPersonal',
    summary: 'List the pages of your personal space',
    produces: listProduces,
    querystring: prefixQuery,
    response: { 200: listSchema(schema.pageSchema) },
    handler: (request, reply) => sendPages(request, reply, { space: 'personal', ...request.query }),
  }),
  pages.endpoint({
    route: 'GET /spaces/:space/pages',
    config: { visitors: ['prefix', 'limit', 'cursor'], changeRequest: 'read' },
    operationId: 'pages.list',
    summary: 'List the pages of a space in the order of their paths',
    produces: listProduces,
    querystring: prefixQuery,
    response: { 200: listSchema(schema.pageSchema) },
    handler: (request, reply) =>
      sendPages(request, reply, { space: parseSlug(request.params.space), ...request.query }),
  }),
  pages.endpoint({
    route: 'GET /pages/recent',
    operationId: 'pages.recent',
    summary: 'List the pages that you can read, latest change first',
    querystring: strictObject({ ...pagingParameters, space: Type.Optional(spaceParameter) }),
    response: { 200: listSchema(schema.pageSchema) },
    handler: (request) => {
      const { space, ...paging } = request.query
      return recentPages(request.ctx, { ...paging, ...(space !== undefined && { space: parseSlug(space) }) })
    },
  }),
)
