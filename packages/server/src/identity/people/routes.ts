import { declareEndpoints, registerRoutes } from '../../platform/http/endpoint.ts'
import { SET_HEADERS } from '../../platform/http/openapi/headers.ts'
import { listSchema, pagingQuery, strictObject } from '../../platform/http/schemas.ts'
import { dismissStep } from './first-steps.ts'
import { createPasswordLink } from './links.ts'
import { endOtherSessions, endOwnSession, listOwnSessions } from './own-sessions.ts'
import { listOwnPasskeys, removeOwnPasskey, renameOwnPasskey } from './passkeys/passkeys.ts'
import { linkSchema, passkeyName, passkeySchema, sessionSchema } from './schema.ts'

const access = declareEndpoints('Access')
const administration = declareEndpoints('Administration')

/** Signing in as a person: passkeys, sessions, and links for choosing a password. */
export const peopleRoutes = registerRoutes(
  // Passkeys are created in a browser, on the screen of the account.
  access.endpoint({
    route: 'GET /me/passkeys',
    operationId: 'me.passkeys.list',
    summary: 'List your passkeys',
    querystring: pagingQuery,
    response: { 200: listSchema(passkeySchema) },
    handler: (request) => listOwnPasskeys(request.ctx, request.query),
  }),
  access.endpoint({
    route: 'PATCH /me/passkeys/:id',
    config: { errors: ['confirmation_required'], scope: 'admin', mergePatch: true, headers: SET_HEADERS },
    operationId: 'me.passkeys.rename',
    summary: 'Name one of your passkeys',
    body: strictObject({ name: passkeyName }),
    response: { 200: passkeySchema },
    handler: (request) => renameOwnPasskey(request.ctx, request.params.id, request.body.name),
  }),
  access.action({
    route: 'DELETE /me/passkeys/:id',
    config: { scope: 'admin', errors: ['confirmation_required', 'last_admin'] },
    operationId: 'me.passkeys.remove',
    summary: 'Remove one of your passkeys',
    act: (request) => removeOwnPasskey(request.ctx, request.params.id),
  }),
  access.endpoint({
    route: 'GET /me/sessions',
    operationId: 'me.sessions.list',
    summary: 'List the browsers in which you are signed in',
    querystring: pagingQuery,
    response: { 200: listSchema(sessionSchema) },
    handler: (request) => listOwnSessions(request.ctx, request.query),
  }),
  access.action({
    route: 'DELETE /me/sessions',
    config: { scope: 'admin' },
    operationId: 'me.sessions.endOthers',
    summary: 'End all your sessions except for the one of this request',
    act: (request) => endOtherSessions(request.ctx),
  }),
  access.action({
    route: 'DELETE /me/sessions/:id',
    config: { scope: 'admin' },
    operationId: 'me.sessions.end',
    summary: 'End one of your sessions',
    act: (request) => endOwnSession(request.ctx, request.params.id),
  }),
  access.action({
    route: 'DELETE /me/first-steps/:step',
    config: { scope: 'read' },
    operationId: 'me.firstSteps.remove',
    summary: 'Mark one of your first steps as done or dismissed',
    description:
      'The start screen no longer offers it. `recto import` does this for `import`. ' +
      'The steps are `space`, `page`, `invite`, `assistant` and `import`; `all` is all of them.',
    act: (request) => dismissStep(request.ctx, request.params.step),
  }),
  administration.endpoint({
    route: 'POST /admin/principals/:id/password-link',
    config: { errors: ['confirmation_required'] },
    operationId: 'principals.createPasswordLink',
    summary: 'Create a one-time link with which a person chooses a new password',
    response: { 201: linkSchema },
    handler: async (request, reply) =>
      reply
        .code(201)
        .header('Cache-Control', 'no-store')
        .send(await createPasswordLink(request.ctx, request.params.id)),
  }),
)
