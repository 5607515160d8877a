import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { createOwnKeySchema } from '../../access/admin-schema.ts'
import { inputError } from '../../errors.ts'
import { routesOf } from '../../http/endpoint.ts'
import { type Decision, decideConsent, pendingConsent } from '../../oauth/consent.ts'
import type { AuthorizationServer } from '../../oauth/start.ts'
import { spacesOf } from '../../spaces/space.ts'
import { checked, type Fields, textOf, textsOf } from '../fields.ts'
import { type FailedForm, formRoute, type Screen, screenRoute } from '../screen.ts'
import { MAX_LISTED_SPACES } from '../space-field.ts'
import { consentScreen } from './consent-view.ts'

const params = Type.Object({ uid: Type.String({ maxLength: 100 }) })
const spacesSchema = Type.Object({ spaces: createOwnKeySchema.properties.spaces })

interface ConsentDeps {
  readonly server: AuthorizationServer
}

/** Asks a person whether an app may act for them. */
export const consentRoutes = routesOf<ConsentDeps>(
  screenRoute('/oauth/consent/:uid', {
    params,
    config: { isOauth: true },
    view: (request, deps) => consent(request, undefined, deps),
  }),
  formRoute('/oauth/consent/:uid', {
    params,
    config: { isOauth: true },
    act: (request, { server }) =>
      decideConsent(server, request, request.params.uid, decisionOf(request.body)),
    view: consent,
  }),
)

async function consent(
  request: FastifyRequest<{ Params: Static<typeof params> }>,
  failed: FailedForm | undefined,
  { server }: ConsentDeps,
): Promise<Screen> {
  const pending = await pendingConsent(server, request, request.params.uid)
  const { items, nextCursor } = await spacesOf(request.ctx, { limit: MAX_LISTED_SPACES })
  return consentScreen({
    uid: request.params.uid,
    pending,
    person: request.ctx.actor.name,
    spaces: items,
    hasMoreSpaces: nextCursor !== null,
    failed,
  })
}

function decisionOf(fields: Fields): Decision {
  if (textOf(fields, 'decision') !== 'allow') return 'denied'
  const scopes = textOf(fields, 'scope') === 'write' ? (['read', 'write'] as const) : (['read'] as const)
  if (textOf(fields, 'access') === 'all') return { scopes }
  const others = textOf(fields, 'others').split(/[\s,]+/)
  const named = [...textsOf(fields, 'spaces'), ...others].filter(Boolean)
  if (named.length === 0) {
    const detail = 'Choose at least one space, or all of them.'
    throw inputError('invalid_request', detail, '/spaces', 'must name at least one space')
  }
  const { spaces } = checked(spacesSchema, { spaces: named })
  return spaces === undefined ? { scopes } : { scopes, spaces }
}
