import { AppError } from '@recto/contract/errors.ts'
import { addressIn, parseSlug } from '@recto/contract/page-address.ts'
import { Type } from 'typebox'
import { replayAsOrgAdmin } from '../../access/replay-authorization.ts'
import { pageParams, spaceParameter } from '../../access/schema.ts'
import { declareEndpoints, registerRoutes } from '../../platform/http/endpoint.ts'
import { listSchema, pagingParameters, pagingQuery, strictObject } from '../../platform/http/schemas.ts'
import { readNeighbourhood } from './neighbourhood.ts'
import { readPageLinks } from './page-links.ts'
import { readRebuild, rebuildLinks } from './rebuild.ts'
import type { Rebuilder } from './rebuilder.ts'
import { brokenLinks, orphans, wantedPages } from './reports.ts'
import * as schema from './schema.ts'

const { endpoint } = declareEndpoints('Links', pageParams.properties)

export interface LinkRouteOptions {
  readonly rebuilder: Pick<Rebuilder, 'wake'>
}

/** Links of pages, and the reports of a space. */
export const linkRoutes = registerRoutes<LinkRouteOptions>(
  endpoint({
    route: 'GET /pages/:space/:path/links',
    config: { visitors: ['limit', 'cursor'], changeRequest: 'read' },
    operationId: 'pages.links',
    summary: 'List the links of a page and the pages that link to it',
    description:
      'All links of the page, and its backlinks page by page. With `depth`, the neighbourhood of the page instead: ' +
      'what lies within so many links of it, as nodes and edges.',
    querystring: strictObject({
      ...pagingParameters,
      depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 3, description: 'Return the neighbourhood instead.' })),
    }),
    response: { 200: Type.Union([schema.neighbourhoodSchema, schema.pageLinksSchema]) },
    handler: (request) => {
      const { depth, ...page } = request.query
      const { space, path } = addressIn(request.params)
      if (depth && request.ctx.overlay) throw new AppError('change_request_not_supported', '`depth` has no drafts.')
      return depth === undefined
        ? readPageLinks(request.ctx, { space, path, ...page })
        : readNeighbourhood(request.ctx, { space, path, depth })
    },
  }),
  endpoint({
    route: 'GET /spaces/:space/links/broken',
    config: { changeRequest: 'read' },
    operationId: 'links.broken',
    summary: 'List the broken links of a space',
    description:
      'In the order of the linking pages’ paths, then of the links in the page. ' +
      'A page of the list may be short before its end: go on while there is a `nextCursor`.',
    querystring: pagingQuery,
    response: { 200: listSchema(schema.brokenLinkSchema) },
    handler: (request) => brokenLinks(request.ctx, { space: parseSlug(request.params.space), ...request.query }),
  }),
  endpoint({
    route: 'GET /spaces/:space/links/orphans',
    operationId: 'links.orphans',
    summary: 'List the pages of a space to which no other page links',
    description:
      'In the order of their paths; only pages that you can read count. ' +
      'A page of the list may be short before its end: go on while there is a `nextCursor`.',
    querystring: pagingQuery,
    response: { 200: listSchema(schema.orphanSchema) },
    handler: (request) => orphans(request.ctx, { space: parseSlug(request.params.space), ...request.query }),
  }),
  endpoint({
    route: 'GET /spaces/:space/links/wanted',
    operationId: 'links.wanted',
    summary: 'List the missing pages of a space to which the most pages link',
    description: 'Only pages that you can read count.',
    querystring: pagingQuery,
    response: { 200: listSchema(schema.wantedSchema) },
    handler: (request) => wantedPages(request.ctx, { space: parseSlug(request.params.space), ...request.query }),
  }),
  endpoint({
    route: 'POST /links/rebuild',
    config: { scope: 'admin', idempotency: replayAsOrgAdmin },
    operationId: 'links.rebuild',
    summary: 'Rebuild the link index of all pages',
    description:
      'For organisation admins. Writers do not wait for it. The response comes when the rebuild is complete, ' +
      'or after 20 s as 202 with `Location`, the URL of its progress. ' +
      'A request during a rebuild of the same scope joins it.',
    querystring: strictObject({ space: Type.Optional(spaceParameter) }),
    response: { 200: schema.rebuildSchema, 202: schema.rebuildSchema },
    handler: async (request, reply, { rebuilder }) => {
      const { space } = request.query
      const rebuild = await rebuildLinks(request.ctx, rebuilder, {
        ...(space !== undefined && { space: parseSlug(space) }),
      })
      if (rebuild.status !== 'done') reply.code(202).header('Location', `/links/rebuild/${rebuild.id}`)
      return reply.send(rebuild)
    },
  }),
  endpoint({
    route: 'GET /links/rebuild/:id',
    config: { scope: 'admin' },
    operationId: 'links.rebuildStatus',
    summary: 'Read how far a rebuild is',
    description: 'For organisation admins.',
    params: Type.Object({ id: Type.String() }),
    response: { 200: schema.rebuildSchema },
    handler: (request) => readRebuild(request.ctx, request.params.id),
  }),
)
