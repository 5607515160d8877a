import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { listAllKeys, revokeAnyKey } from '../../access/api-keys.ts'
import { pagingParameters } from '../../http/paging.ts'
import type { Server } from '../../http/server.ts'
import { csrfField } from '../forms.ts'
import { fieldsSchema, type Screen, sendScreen, submitForm } from '../screen.ts'
import { type KeysView, keysScreen } from './keys-screen.ts'

const query = Type.Object(
  {
    principal: Type.Optional(Type.String()),
    revoked: Type.Optional(Type.Literal('1')),
    cursor: pagingParameters.cursor,
    done: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
)
const params = Type.Object({ id: Type.String() })

/** All keys, and revoking any of them. */
export async function keysRoutes(app: Server): Promise<void> {
  app.get('/manage/keys', { schema: { hide: true, querystring: query } }, async (request, reply) => {
    const { principal, revoked, cursor, done } = request.query
    const told = done === 'revoked' ? 'The key was revoked.' : undefined
    return sendScreen(reply, await keys(request, { principal, cursor, revoked: revoked === '1', done: told }))
  })

  app.post(
    '/manage/keys/:id/revoke',
    { schema: { hide: true, params, body: fieldsSchema } },
    async (request, reply) =>
      submitForm(request, reply, {
        act: async () => {
          await revokeAnyKey(request.ctx, request.params.id)
          return '/manage/keys?done=revoked'
        },
        again: (attempt) => keys(request, { revoked: false, attempt }),
      }),
  )
}

async function keys(
  request: FastifyRequest,
  shown: Pick<KeysView, 'principal' | 'revoked' | 'cursor' | 'done' | 'attempt'>,
): Promise<Screen> {
  const { principal, cursor, revoked } = shown
  const list = await listAllKeys(request.ctx, {
    includeRevoked: revoked,
    ...(principal !== undefined && { principal }),
    ...(cursor !== undefined && { cursor }),
  })
  return keysScreen({ ...shown, keys: list, csrf: csrfField(request), current: request.ctx.actor.keyId })
}
