import { idParams } from '../../access/admin-schema.ts'
import { endpointsOf, routesOf } from '../../http/endpoint.ts'
import { SET_HEADERS } from '../../http/openapi/headers.ts'
import { listOf, pagingQuery } from '../../http/paging.ts'
import { strictObject } from '../../http/strict-object.ts'
import { passkeyName, passkeySchema } from '../schema.ts'
import { listOwnPasskeys, removeOwnPasskey, renameOwnPasskey } from './passkeys.ts'

const { action, endpoint } = endpointsOf('Access')

/** The caller's own passkeys. They are created in a browser, on the screen of the account. */
export const passkeyRoutes = routesOf(
  endpoint({
    route: 'GET /me/passkeys',
    operationId: 'me.passkeys.list',
    summary: 'List your passkeys',
    querystring: pagingQuery,
    response: { 200: listOf(passkeySchema) },
    handler: (request) => listOwnPasskeys(request.ctx, request.query),
  }),
  endpoint({
    route: 'PATCH /me/passkeys/:id',
    config: { errors: ['confirmation_required'], scope: 'admin', mergePatch: true, headers: SET_HEADERS },
    operationId: 'me.passkeys.rename',
    summary: 'Name one of your passkeys',
    params: idParams,
    body: strictObject({ name: passkeyName }),
    response: { 200: passkeySchema },
    handler: (request) => renameOwnPasskey(request.ctx, request.params.id, request.body.name),
  }),
  action({
    route: 'DELETE /me/passkeys/:id',
    config: { scope: 'admin', errors: ['confirmation_required', 'last_admin'] },
    operationId: 'me.passkeys.remove',
    summary: 'Remove one of your passkeys',
    params: idParams,
    act: (request) => removeOwnPasskey(request.ctx, request.params.id),
  }),
)
