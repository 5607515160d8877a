import { given } from '@recto/lib/given.ts'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { listAllKeys, revokeAnyKey } from '../../../identity/keys/api-keys.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { pagingParameters, strictObject, text } from '../../../platform/http/schemas.ts'
import { t } from '../html.ts'
import { formRoute, type Screen, screenRoute, whenDone } from '../screen.ts'
import { adminUrl } from '../urls.ts'
import { type KeysView, keysScreen } from './keys-screen.ts'

const query = strictObject({
  principal: Type.Optional(Type.String()),
  name: Type.Optional(text({ maxLength: 200 })),
  revoked: Type.Optional(Type.Literal('1')),
  cursor: pagingParameters.cursor,
  done: Type.Optional(Type.String()),
})

/** All API keys, and revoking any of them. */
export const keysRoutes = registerRoutes(
  screenRoute('/manage/keys', {
    query,
    view: (request) => {
      const { revoked, done, ...filter } = request.query
      const doneText = done === 'revoked' ? t('The key was revoked.') : undefined
      return keys(request, { ...filter, revoked: revoked === '1', done: doneText })
    },
  }),
  formRoute('/manage/keys/:id/revoke', {
    act: ({ ctx, params }) => whenDone(revokeAnyKey(ctx, params.id), adminUrl('keys'), 'revoked'),
  }),
)

async function keys(
  request: FastifyRequest,
  options: Pick<KeysView, 'principal' | 'name' | 'revoked' | 'cursor' | 'done' | 'failed'>,
): Promise<Screen> {
  const { principal, name, cursor, revoked } = options
  const list = await listAllKeys(request.ctx, {
    includeRevoked: revoked,
    ...given({ principal, name: name?.trim(), cursor }),
  })
  return keysScreen({ ...options, keys: list, current: request.ctx.actor.keyId })
}
