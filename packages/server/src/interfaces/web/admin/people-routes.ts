import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { readPicture, removePicture } from '../../../content/files/pictures/pictures.ts'
import { mergeAccounts } from '../../../content/spaces/merge/merge.ts'
import { listGroups } from '../../../identity/groups/groups.ts'
import { createKeyFor, listAllKeys } from '../../../identity/keys/api-keys.ts'
import { tellOwnersBy } from '../../../identity/people/key-mail.ts'
import { createPasswordLink } from '../../../identity/people/links.ts'
import type { Mailer } from '../../../identity/people/mail.ts'
import { mergeSchema } from '../../../identity/people/schema.ts'
import {
  createPrincipalSchema,
  principalQuery,
  updatePrincipalSchema,
} from '../../../identity/principals/admin-schema.ts'
import {
  createPrincipal,
  listPrincipals,
  type PrincipalFilter,
  readPrincipal,
  updatePrincipal,
} from '../../../identity/principals/principals.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { strictObject } from '../../../platform/http/schemas.ts'
import { checked, filled, readText } from '../fields.ts'
import { findText, msg, t } from '../html.ts'
import { readNewKey } from '../keys-form.ts'
import { secretBox } from '../keys-view.ts'
import { formRoute, type Screen, type Shown, screenRoute, whenDone } from '../screen.ts'
import { spaceChoices } from '../space-field.ts'
import { adminUrl, withQuery } from '../urls.ts'
import { type PeopleFilter, parseOrgRole, peopleScreen } from './people-view.ts'
import { personScreen } from './person-view.ts'

const field = Type.Optional(Type.String({ maxLength: 8192 }))
const peopleQuery = strictObject({ name: field, kind: field, role: field, disabled: field, cursor: field })
const DONE: Readonly<Record<string, string>> = {
  added: msg('Added. Create a link to choose a password, or an API key, next.'),
  saved: msg('Saved.'),
  merged: msg('The other account was merged into this one.'),
  picture: msg('The picture was removed.'),
  disabled: msg('Disabled. All keys and sessions have stopped working.'),
  enabled: msg('Enabled.'),
  revoked: msg('The key was revoked.'),
}

/** People and agents, and the keys of each. */
export const peopleScreenRoutes = registerRoutes<{ readonly mailer: Mailer | undefined }>(
  screenRoute('/manage/people', {
    query: peopleQuery,
    view: (request) => {
      const { cursor, ...filter } = request.query
      return people(request, filter, { cursor })
    },
  }),
  formRoute('/manage/people', {
    act: async ({ ctx, body }) => {
      const { id } = await createPrincipal(
        ctx,
        checked(createPrincipalSchema, withOrgRole(filled(body, 'name', 'kind', 'role', 'email'))),
      )
      return withQuery(adminUrl('people', id), { done: 'added' })
    },
    view: (request, failed) => people(request, {}, { failed }),
  }),
  screenRoute('/manage/people/:id', {
    query: Type.Object({ done: field }),
    view: (request) => person(request, { done: findText(DONE, request.query.done) }),
  }),
  formRoute('/manage/people/:id', {
    act: ({ ctx, params: { id }, body }) => {
      const email = readText(body, 'email').trim() || null
      const changes = { ...withOrgRole(filled(body, 'name', 'role')), ...('email' in body && { email }) }
      const change = checked(updatePrincipalSchema, changes)
      return whenDone(updatePrincipal(ctx, id, change), adminUrl('people', id), 'saved')
    },
    view: (request, failed) => person(request, { failed }),
  }),
  formRoute('/manage/people/:id/state', {
    act: ({ ctx, params: { id }, body }) => {
      const disabled = readText(body, 'disabled') === 'true'
      const done = disabled ? 'disabled' : 'enabled'
      return whenDone(updatePrincipal(ctx, id, { disabled }), adminUrl('people', id), done)
    },
    view: (request, failed) => person(request, { failed }),
  }),
  formRoute('/manage/people/:id/merge', {
    act: async ({ ctx, params: { id }, body }, { mailer }) => {
      const { into } = checked(mergeSchema, filled(body, 'into'))
      const { id: remaining } = await mergeAccounts(ctx, mailer, { id, into })
      return withQuery(adminUrl('people', remaining), { done: 'merged' })
    },
    view: (request, failed) => person(request, { failed }),
  }),
  formRoute('/manage/people/:id/picture/remove', {
    act: ({ ctx, params: { id } }) => whenDone(removePicture(ctx, id), adminUrl('people', id), 'picture'),
  }),
  formRoute('/manage/people/:id/password-link', {
    act: async (request) => {
      const { url } = await createPasswordLink(request.ctx, request.params.id)
      const secret = secretBox({
        label: t('Link to choose a password'),
        value: url,
        about: t('Copy it now and pass it on. It works once, within a day. You won’t be able to see it again.'),
      })
      return { status: 201, ...(await person(request, { secret })) }
    },
    view: (request, failed) => person(request, { failed }),
  }),
  formRoute('/manage/people/:id/keys', {
    act: async (request, { mailer }) => {
      const { ctx, params, body } = request
      const input = { ...readNewKey(body, ctx.now()), principal: params.id }
      const { apiKey, secret: value } = await createKeyFor(ctx, input, tellOwnersBy(mailer))
      const label = t('The key “{name}” of {owner}', { name: apiKey.name, owner: apiKey.principal.name })
      const about = t('Copy it now and pass it to its owner. You won’t be able to see it again.')
      return { status: 201, ...(await person(request, { secret: secretBox({ label, value, about }) })) }
    },
    view: (request, failed) => person(request, { failed }),
  }),
)

function withOrgRole<T extends { readonly role?: string }>({ role, ...rest }: T) {
  return { ...rest, ...parseOrgRole(role) }
}

async function people(request: FastifyRequest, filter: PeopleFilter, options: Shown): Promise<Screen> {
  const { cursor } = options
  const filterValues = Object.fromEntries(Object.entries({ ...filter, cursor }).filter(([, value]) => value))
  const { disabled, ...rest } = withOrgRole(filterValues)
  const wantedPeople = checked(principalQuery, { ...rest, ...(disabled && { disabled: disabled === 'true' }) })
  const list = await listPrincipals(request.ctx, wantedPeople as PrincipalFilter)
  return peopleScreen({ people: list, filter, ...options })
}

async function person(request: FastifyRequest<{ Params: { id: string } }>, options: Shown): Promise<Screen> {
  const { ctx } = request
  const { id } = request.params
  const shownPrincipal = await readPrincipal(ctx, id)
  const keys = await listAllKeys(ctx, { principal: id, limit: 100 })
  const groups = await listGroups(ctx, { member: id, limit: 100 })
  return personScreen({
    person: shownPrincipal,
    keys,
    groups,
    spaces: await spaceChoices(ctx),
    hasPicture: (await readPicture(ctx, id)) !== undefined,
    isSelf: shownPrincipal.id === ctx.actor.id,
    ...options,
  })
}
