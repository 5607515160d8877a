import { inputError } from '@recto/contract/errors.ts'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { listVisibleSpaces } from '../../../content/spaces/space.ts'
import { type Decision, decideConsent, pendingConsent } from '../../../identity/oauth/consent.ts'
import { oauthScopesIn } from '../../../identity/oauth/scopes.ts'
import type { AuthorizationServer } from '../../../identity/oauth/start.ts'
import { createOwnKeySchema } from '../../../identity/principals/admin-schema.ts'
import { isConfirmed, requireConfirmation } from '../../../identity/sessions/confirmation.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { confirmation } from '../confirm/confirm-routes.ts'
import { checked, type Fields, readText, readTexts } from '../fields.ts'
import { type FailedForm, formRoute, type Screen, screenRoute } from '../screen.ts'
import { MAX_LISTED_SPACES } from '../space-field.ts'
import { withQuery } from '../urls.ts'
import { consentScreen } from './consent-view.ts'

const params = Type.Object({ uid: Type.String({ maxLength: 100 }) })
/** What the person chose before a confirmation. Nobody else knows the `uid` of the request. */
const query = Type.Object({
  scope: Type.Optional(Type.String()),
  access: Type.Optional(Type.String()),
  spaces: Type.Optional(Type.String()),
})
const spacesSchema = Type.Object({ spaces: createOwnKeySchema.properties.spaces })

interface ConsentDeps {
  readonly server: AuthorizationServer
}

/** Asks a person whether an app may act for them. */
export const consentRoutes = registerRoutes<ConsentDeps>(
  screenRoute('/oauth/consent/:uid', {
    params,
    query,
    config: { isOauth: true },
    async view(request, deps) {
      await requireConfirmation(request.ctx)
      const { scope = '', access = '', spaces = '' } = request.query
      return consent(request, undefined, deps, { scope, access, spaces: spaces.split(/[\s,]+/) })
    },
  }),
  formRoute('/oauth/consent/:uid', {
    params,
    config: { isOauth: true },
    async act(request, { server }) {
      const decision = readDecision(request.body)
      if (decision === 'denied' || (await isConfirmed(request.ctx)))
        return decideConsent(server, request, request.params.uid, decision)
      return confirmFirst(request, decision)
    },
    view: (request, failed, deps) => consent(request, failed, deps),
  }),
)

async function consent(
  request: FastifyRequest<{ Params: Static<typeof params> }>,
  failed: FailedForm | undefined,
  { server }: ConsentDeps,
  chosenScope?: Parameters<typeof consentScreen>[0]['chosen'],
): Promise<Screen> {
  const pending = await pendingConsent(server, request, request.params.uid)
  const { items, nextCursor } = await listVisibleSpaces(request.ctx, { limit: MAX_LISTED_SPACES })
  return consentScreen({
    uid: request.params.uid,
    pending,
    person: request.ctx.actor.name,
    spaces: items,
    hasMoreSpaces: nextCursor !== null,
    failed,
    chosen: chosenScope,
  })
}

/** Leads back to the screen with its choices, whose form may redirect to the app. */
async function confirmFirst(
  request: FastifyRequest<{ Params: Static<typeof params>; Body: Fields }>,
  decision: Exclude<Decision, 'denied'>,
): Promise<Screen> {
  const choices = {
    scope: decision.scopes.at(-1),
    access: decision.spaces ? 'some' : 'all',
    spaces: decision.spaces?.join(' '),
  }
  const next = withQuery(`/oauth/consent/${encodeURIComponent(request.params.uid)}`, choices)
  return { status: 403, ...(await confirmation(request, { next })) }
}

function readDecision(fields: Fields): Decision {
  if (readText(fields, 'decision') !== 'allow') return 'denied'
  const scopes = oauthScopesIn(readText(fields, 'scope'))
  if (readText(fields, 'access') === 'all') return { scopes }
  const others = readText(fields, 'others').split(/[\s,]+/)
  const namedSpaces = [...readTexts(fields, 'spaces'), ...others].filter(Boolean)
  if (namedSpaces.length === 0) {
    const detail = 'Choose at least one space, or all of them.'
    throw inputError('invalid_request', detail, '/spaces', 'must name at least one space')
  }
  const { spaces } = checked(spacesSchema, { spaces: namedSpaces })
  return spaces === undefined ? { scopes } : { scopes, spaces }
}
