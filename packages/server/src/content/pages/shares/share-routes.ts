import { addressIn, parseSlug } from '@recto/contract/page-address.ts'
import { pageParams } from '../../../access/schema.ts'
import { declareEndpoints, registerRoutes } from '../../../platform/http/endpoint.ts'
import { listSchema, pagingQuery } from '../../../platform/http/schemas.ts'
import { createdShareSchema, createShareSchema, shareSchema } from './schema.ts'
import { createShare, listSharesAt, readShare, revokeShare } from './shares.ts'

const { action, endpoint } = declareEndpoints('Pages', pageParams.properties)

/** Share links: they show pages to people without an account. */
export const shareRoutes = registerRoutes(
  endpoint({
    route: 'POST /shares/:space/:path',
    config: { errors: ['confirmation_required', 'invalid_path'] },
    operationId: 'shares.create',
    summary: 'Make a share link of a page',
    description:
      'Shows the page, or all pages below it, too, to whoever has the URL, until its maker can no longer read the ' +
      'page. For editors who are signed in with a browser: no key and no app makes links.',
    body: createShareSchema,
    response: { 201: createdShareSchema },
    handler: async ({ ctx, params, body }, reply) => {
      const share = await createShare(ctx, addressIn(params), body)
      return reply
        .code(201)
        .headers({ Location: `/shares/by-id/${share.id}`, 'Cache-Control': 'no-store' })
        .send(share)
    },
  }),
  endpoint({
    route: 'GET /shares/:space/:path',
    config: { scope: 'write', errors: ['invalid_path'] },
    operationId: 'shares.list',
    summary: 'List the share links of a page, newest first',
    description: 'All of them for admins of the space, their own for other editors.',
    querystring: pagingQuery,
    response: { 200: listSchema(shareSchema) },
    handler: ({ ctx, params, query }) => listSharesAt(ctx, { ...addressIn(params), ...query }),
  }),
  endpoint({
    route: 'GET /spaces/:space/shares',
    config: { scope: 'write' },
    operationId: 'spaces.shares',
    summary: 'List the share links of a space, newest first',
    description: 'All of them for admins of the space, their own for other editors.',
    querystring: pagingQuery,
    response: { 200: listSchema(shareSchema) },
    handler: ({ ctx, params, query }) => listSharesAt(ctx, { space: parseSlug(params.space), ...query }),
  }),
  endpoint({
    route: 'GET /shares/by-id/:id',
    operationId: 'shares.get',
    summary: 'Read a share link',
    response: { 200: shareSchema },
    handler: ({ ctx, params }) => readShare(ctx, params.id),
  }),
  action({
    route: 'DELETE /shares/by-id/:id',
    operationId: 'shares.revoke',
    summary: 'Revoke a share link',
    act: ({ ctx, params }) => revokeShare(ctx, params.id),
  }),
)
