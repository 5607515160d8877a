import { AppError } from '@recto/contract/errors.ts'
import type { FastifyRequest } from 'fastify'
import { isUnlimited, requireUnlimited } from '../../../access/caller.ts'
import { createOwnKey } from '../../../identity/keys/api-keys.ts'
import { SIGN_IN_QUERY } from '../../../identity/oauth/scopes.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { readNewKey } from '../keys-form.ts'
import { type FailedForm, formRoute, type Screen, screenRoute } from '../screen.ts'
import { spaceChoices } from '../space-field.ts'
import { CONNECT, CONNECT_KEYS } from '../urls.ts'
import { connectScreen } from './connect-view.ts'

/** Settings for assistants, and a key with restricted permissions for one. */
export const connectRoutes = registerRoutes(
  screenRoute(CONNECT, { view: (request) => show(request) }),
  formRoute(CONNECT_KEYS, {
    act: async (request) => {
      requireUnlimited(request.ctx.actor, 'Managing keys')
      const input = readNewKey(request.body, request.ctx.now())
      if (input.scopes.includes('admin') || input.expiresAt === undefined) {
        throw new AppError('invalid_request', 'A key of an assistant administers nothing, and expires.')
      }
      const { secret } = await createOwnKey(request.ctx, input)
      return { status: 201, ...(await show(request, { secret })) }
    },
    view: (request, failed) => show(request, { failed }),
  }),
)

async function show(
  request: FastifyRequest,
  more: { readonly secret?: string; readonly failed?: FailedForm } = {},
): Promise<Screen> {
  const { actor, config } = request.ctx
  return connectScreen({
    url: `${config.publicUrl}/mcp`,
    signInQuery: config.publicSpaces ? SIGN_IN_QUERY : '',
    mayMakeKeys: isUnlimited(actor),
    spaces: await spaceChoices(request.ctx),
    ...more,
  })
}
