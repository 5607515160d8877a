import { type Static, Type } from 'typebox'
import type { Server } from '../http/server.ts'
import { SCOPES } from './caller.ts'
import type { Ctx } from './ctx.ts'

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

export async function accessRoutes(app: Server): Promise<void> {
  app.get(
    '/me',
    {
      schema: {
        tags: ['Access'],
        summary: 'Who you are, and what your key allows',
        response: { 200: meSchema },
      },
    },
    async (request) => whoAmI(request.ctx),
  )
}

function whoAmI({ actor }: Ctx): Me {
  return {
    id: actor.id,
    name: actor.name,
    kind: actor.kind,
    role: actor.orgRole,
    scopes: SCOPES.slice(0, SCOPES.indexOf(actor.scope) + 1),
  }
}
