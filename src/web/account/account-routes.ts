import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { createOwnKey, isKeyMaker, listOwnKeys, revokeOwnKey } from '../../access/api-keys.ts'
import { isOrgAdmin } from '../../access/caller.ts'
import { pagingParameters } from '../../http/paging.ts'
import type { Server } from '../../http/server.ts'
import { csrfField } from '../forms.ts'
import { newKeyOf } from '../keys-form.ts'
import { secretBox } from '../keys-view.ts'
import { formRoute, type Screen, screenRoute } from '../screen.ts'
import { ACCOUNT, withQuery } from '../urls.ts'
import { type AccountView, accountScreen } from './account-view.ts'

const query = Type.Object(
  { cursor: pagingParameters.cursor, done: Type.Optional(Type.String()) },
  { additionalProperties: false },
)

/** The caller's own account. */
export async function accountScreenRoutes(app: Server): Promise<void> {
  screenRoute(app, '/account', {
    query,
    view: (request) => {
      const { cursor, done } = request.query
      return account(request, { cursor, done: done === 'revoked' ? 'The key was revoked.' : undefined })
    },
  })

  formRoute(app, '/account/keys', {
    act: async (request) => {
      const input = newKeyOf(request.body, request.ctx.now())
      const { apiKey, secret: value } = await createOwnKey(request.ctx, input)
      const about = 'Copy it now and store it safely. You won’t be able to see it again.'
      const secret = secretBox({ label: `The key “${apiKey.name}”`, value, about })
      return { status: 201, ...(await account(request, { secret })) }
    },
    view: (request, failed) => account(request, { failed }),
  })

  formRoute(app, '/account/keys/:id/revoke', {
    params: Type.Object({ id: Type.String() }),
    act: async ({ ctx, params }) => {
      await revokeOwnKey(ctx, params.id)
      return withQuery(ACCOUNT, { done: 'revoked' })
    },
  })
}

async function account(
  request: FastifyRequest,
  shown: Partial<Pick<AccountView, 'cursor' | 'done' | 'secret' | 'failed'>>,
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
