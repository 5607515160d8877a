import { scopesUpTo } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { type Me, meSchema } from '../../access/schema.ts'
import { endpoint, registerRoutes } from '../../platform/http/endpoint.ts'
import { groupRoutes } from '../groups/routes.ts'
import type { TellOwner } from '../keys/api-keys.ts'
import { keyRoutes } from '../keys/key-routes.ts'
import { adminRoutes } from './admin-routes.ts'

/** The authenticated principal, keys, and the administration of the organisation. */
export const accessRoutes = registerRoutes<{ readonly tellOwner: TellOwner }>(
  keyRoutes,
  adminRoutes,
  groupRoutes,
  endpoint({
    route: 'GET /me',
    tags: ['Access'],
    operationId: 'me.get',
    summary: 'Who you are, and what your key allows',
    response: { 200: meSchema },
    handler: async (request) => whoAmI(request.ctx),
  }),
)

/** The authenticated principal with the permissions of the credential. */
export function whoAmI({ actor }: Ctx): Me {
  return {
    id: actor.id,
    name: actor.name,
    kind: actor.kind,
    role: actor.orgRole,
    scopes: scopesUpTo(actor.scope),
  }
}
