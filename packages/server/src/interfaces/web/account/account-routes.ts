import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { isUnlimited } from '../../../access/caller.ts'
import {
  MAX_PICTURE_BYTES,
  readPicture,
  removePicture,
  setOwnPicture,
} from '../../../content/files/pictures/pictures.ts'
import { createOwnKey, listOwnKeys, revokeOwnKey } from '../../../identity/keys/api-keys.ts'
import { endOwnConnection, listOwnConnections } from '../../../identity/oauth/connections.ts'
import { APPEARANCES, readScreenSettings, setScreenSettings } from '../../../identity/people/appearance.ts'
import { endOtherSessions, endOwnSession, listOwnSessions } from '../../../identity/people/own-sessions.ts'
import { ownAccount, type Passwords } from '../../../identity/people/passwords.ts'
import { changeOwnName, requireOwnProfile } from '../../../identity/people/profile.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { enumSchema, line, pagingParameters, strictObject } from '../../../platform/http/schemas.ts'
import { SCREEN_LANGUAGES } from '../../../platform/language/t.ts'
import { checked, filled, readText } from '../fields.ts'
import { fileFormRoute } from '../files/form-post.ts'
import { findText, msg, t } from '../html.ts'
import { readNewKey } from '../keys-form.ts'
import { secretBox } from '../keys-view.ts'
import { formRoute, type Screen, type Shown, screenRoute, whenDone } from '../screen.ts'
import { spaceChoices } from '../space-field.ts'
import { ACCOUNT, withQuery } from '../urls.ts'
import { accountScreen } from './account-view.ts'
import { keepAppearance } from './appearance.ts'
import { ownPasskeys, passkeyScreenRoutes } from './passkeys-routes.ts'
import { pictureRoutes } from './picture-routes.ts'

const query = strictObject({ cursor: pagingParameters.cursor, done: Type.Optional(Type.String()) })

const profileSchema = Type.Object({ name: line({ minLength: 1, maxLength: 200 }) })
const appearanceBody = Type.Object({
  appearance: enumSchema(APPEARANCES),
  presence: Type.Optional(Type.Literal('on')),
  language: Type.Optional(enumSchema(['', ...SCREEN_LANGUAGES])),
})
const DONE: Readonly<Record<string, string>> = {
  revoked: msg('The key was revoked.'),
  password: msg('Your password was saved. You were signed out everywhere else.'),
  profile: msg('Your name was saved.'),
  picture: msg('Your picture was saved. Others see it within five minutes.'),
  'picture-removed': msg('Your picture was removed.'),
  appearance: msg('Your screens were saved.'),
  passkey: msg('The passkey was added.'),
  'passkey-named': msg('The passkey was renamed.'),
  'passkey-removed': msg('The passkey was removed.'),
  ended: msg('The session was ended.'),
  'others-ended': msg('You were signed out everywhere else.'),
  disconnected: msg('The app was disconnected.'),
}

/** The caller's own account. */
export const accountScreenRoutes = registerRoutes<{ readonly passwords: Passwords }>(
  screenRoute('/account', {
    query,
    view: (request) => {
      const { cursor, done } = request.query
      return account(request, { cursor, done: findText(DONE, done) })
    },
  }),
  passkeyScreenRoutes,
  formRoute('/account/keys', {
    act: async (request) => {
      const input = readNewKey(request.body, request.ctx.now())
      const { apiKey, secret: value } = await createOwnKey(request.ctx, input)
      const about = t('Copy it now and store it safely. You won’t be able to see it again.')
      const secret = secretBox({ label: t('The key “{name}”', { name: apiKey.name }), value, about })
      return { status: 201, ...(await account(request, { secret })) }
    },
    view: (request, failed) => account(request, { failed }),
  }),
  formRoute('/account/keys/:id/revoke', {
    act: ({ ctx, params }) => whenDone(revokeOwnKey(ctx, params.id), ACCOUNT, 'revoked'),
  }),
  formRoute('/account/profile', {
    act: ({ ctx, body }) => {
      requireOwnProfile(ctx)
      const { name } = checked(profileSchema, filled(body, 'name'))
      return whenDone(changeOwnName(ctx, name), ACCOUNT, 'profile')
    },
    view: (request, failed) => account(request, { failed }),
  }),
  pictureRoutes,
  fileFormRoute('/account/picture', {
    maxBytes: MAX_PICTURE_BYTES,
    authorize: async ({ ctx }) => requireOwnProfile(ctx),
    choosePath: () => 'picture',
    act: async ({ ctx }, { files: [file] }) => {
      if (file) await setOwnPicture(ctx, file.upload)
      return withQuery(ACCOUNT, { done: 'picture' })
    },
    view: (request, _fields, error) => account(request, { failed: { fields: { picture: '' }, error } }),
  }),
  formRoute('/account/picture/remove', {
    act: ({ ctx }) => whenDone(removePicture(ctx, ctx.actor.id), ACCOUNT, 'picture-removed'),
  }),
  (app) =>
    app.post('/account/appearance', { schema: { hide: true, body: appearanceBody } }, async (request, reply) => {
      const { ctx, body } = request
      const { appearance, presence, language } = body
      await setScreenSettings(ctx, { appearance, hidesPresence: presence === undefined, language: language || null })
      keepAppearance(request, reply, { publicUrl: ctx.config.publicUrl, appearance })
      return reply.redirect(withQuery(ACCOUNT, { done: 'appearance' }), 303)
    }),
  formRoute('/account/password', {
    act: ({ ctx, body }, { passwords }) => {
      const input = { current: readText(body, 'current'), password: readText(body, 'password') }
      return whenDone(passwords.change(ctx, input), ACCOUNT, 'password')
    },
    view: (request, failed) => account(request, { failed }),
  }),
  formRoute('/account/sessions/:id/end', {
    act: ({ ctx, params }) => whenDone(endOwnSession(ctx, params.id), ACCOUNT, 'ended'),
  }),
  formRoute('/account/sessions/end-others', {
    act: ({ ctx }) => whenDone(endOtherSessions(ctx), ACCOUNT, 'others-ended'),
  }),
  formRoute('/account/connections/:id/end', {
    act: ({ ctx, params }) => whenDone(endOwnConnection(ctx, params.id), ACCOUNT, 'disconnected'),
  }),
)

async function account(request: FastifyRequest, options: Shown): Promise<Screen> {
  const { ctx } = request
  const { cursor } = options
  const keys = await listOwnKeys(ctx, cursor === undefined ? {} : { cursor })
  const sessions = await listOwnSessions(ctx, { limit: 100 })
  const connections = await listOwnConnections(ctx, { limit: 100 })
  const { name, ...password } = await ownAccount(ctx)
  return accountScreen({
    me: { ...ctx.actor, name },
    keys,
    connections,
    spaces: await spaceChoices(ctx),
    mayManageKeys: isUnlimited(ctx.actor),
    security: {
      sessions,
      password,
      name,
      picture: {
        person: { id: ctx.actor.id, name },
        version: (await readPicture(ctx, ctx.actor.id))?.digest.toString('base64url').slice(0, 12),
      },
      passkeys: await ownPasskeys(request),
      screens: await readScreenSettings(ctx.db, ctx.actor.id),
      isHuman: ctx.actor.kind === 'human',
      hasFullAccess: isUnlimited(ctx.actor),
    },
    ...options,
  })
}
