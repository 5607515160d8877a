import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { createOwnKey, isKeyMaker, listOwnKeys, revokeOwnKey } from '../../access/api-keys.ts'
import { isOrgAdmin } from '../../access/caller.ts'
import { pagingParameters } from '../../http/paging.ts'
import type { Server } from '../../http/server.ts'
import { csrfField } from '../forms.ts'
import { newKeyOf } from '../keys-form.ts'
import { secretBox } from '../keys-view.ts'
import { fieldsSchema, type Screen, sendScreen, submitForm } from '../screen.ts'
import { showSecret } from '../secret.ts'
import { type AccountView, accountScreen } from './account-view.ts'

const query = Type.Object(
  { cursor: pagingParameters.cursor, done: Type.Optional(Type.String()) },
  { additionalProperties: false },
)
const params = Type.Object({ id: Type.String() })

/** The caller's own account. */
export async function accountScreenRoutes(app: Server): Promise<void> {
  app.get('/account', { schema: { hide: true, querystring: query } }, async (request, reply) => {
    const { cursor, done } = request.query
    const told = done === 'revoked' ? 'The key was revoked.' : undefined
    return sendScreen(reply, await account(request, { cursor, done: told }))
  })

  app.post('/account/keys', { schema: { hide: true, body: fieldsSchema } }, async (request, reply) =>
    showSecret(request, reply, {
      make: async () => {
        const input = newKeyOf(request.body, request.ctx.now())
        const { apiKey, secret } = await createOwnKey(request.ctx, input)
        const about = 'Copy it now and store it safely. You won’t be able to see it again.'
        return secretBox({ label: `The key “${apiKey.name}”`, value: secret, about })
      },
      screen: (shown) => account(request, shown),
    }),
  )

  app.post(
    '/account/keys/:id/revoke',
    { schema: { hide: true, params, body: fieldsSchema } },
    async (request, reply) =>
      submitForm(request, reply, {
        act: async () => {
          await revokeOwnKey(request.ctx, request.params.id)
          return '/account?done=revoked'
        },
        again: (attempt) => account(request, { attempt }),
      }),
  )
}

async function account(
  request: FastifyRequest,
  shown: Partial<Pick<AccountView, 'cursor' | 'done' | 'secret' | 'attempt'>>,
): Promise<Screen> {
  const { ctx } = request
  const { cursor } = shown
  const keys = await listOwnKeys(ctx, cursor === undefined ? {} : { cursor })
  return accountScreen({
    me: ctx.actor,
    keys,
    mayManageKeys: isKeyMaker(ctx.actor),
    isOrgAdmin: isOrgAdmin(ctx.actor),
    csrf: csrfField(request),
    ...shown,
  })
}
