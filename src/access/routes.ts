import { type Static, Type } from 'typebox'
import { endpoint, routesOf } from '../http/endpoint.ts'
import { adminRoutes } from './admin-routes.ts'
import { scopesUpTo } from './caller.ts'
import type { Ctx } from './ctx.ts'
import { groupRoutes } from './groups/routes.ts'
import { keyRoutes } from './keys/key-routes.ts'

const meSchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  kind: Type.Union([Type.Literal('human'), Type.Literal('agent')]),
  role: Type.Union([Type.Literal('admin'), Type.Literal('member')], {
    description: 'The role in the organisation.',
  }),
  scopes: Type.Array(Type.Union([Type.Literal('read'), Type.Literal('write'), Type.Literal('admin')]), {
    description: 'What the credential of this request allows.',
  }),
})
type Me = Static<typeof meSchema>

/** The authenticated principal, keys, and the administration of the organisation. */
export const accessRoutes = routesOf(
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
