import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { createPrincipalSchema, principalQuery, updatePrincipalSchema } from '../../access/admin-schema.ts'
import { createKeyFor, listAllKeys } from '../../access/api-keys.ts'
import {
  createPrincipal,
  listPrincipals,
  type PrincipalFilter,
  readPrincipal,
  updatePrincipal,
} from '../../access/principals.ts'
import type { Server } from '../../http/server.ts'
import { csrfField } from '../forms.ts'
import { newKeyOf } from '../keys-form.ts'
import { secretBox } from '../keys-view.ts'
import {
  type Attempt,
  checked,
  fieldsSchema,
  filled,
  type Screen,
  sendScreen,
  submitForm,
  textOf,
} from '../screen.ts'
import { type SecretShown, showSecret } from '../secret.ts'
import { type PeopleFilter, peopleScreen } from './people-view.ts'
import { personScreen } from './person-view.ts'

const params = Type.Object({ id: Type.String() })
const forms = { schema: { hide: true, params, body: fieldsSchema } }
const word = Type.Optional(Type.String({ maxLength: 8192 }))
const peopleQuery = Type.Object(
  { name: word, kind: word, role: word, disabled: word, cursor: word },
  { additionalProperties: false },
)
const DONE: Readonly<Record<string, string>> = {
  added: 'Added. Create an API key next.',
  saved: 'Saved.',
  disabled: 'Disabled. All keys and sessions have stopped working.',
  enabled: 'Enabled.',
  revoked: 'The key was revoked.',
}

/** People and agents, and the keys of each. */
export async function peopleRoutes(app: Server): Promise<void> {
  app.get('/manage/people', { schema: { hide: true, querystring: peopleQuery } }, async (request, reply) => {
    const { cursor, ...filter } = request.query
    return sendScreen(reply, await people(request, filter, { cursor }))
  })

  app.post('/manage/people', { schema: { hide: true, body: fieldsSchema } }, async (request, reply) =>
    submitForm(request, reply, {
      act: async () => {
        const input = checked(createPrincipalSchema, filled(request.body, 'name', 'kind', 'role'))
        const { id } = await createPrincipal(request.ctx, input)
        return `/manage/people/${id}?done=added`
      },
      again: (attempt) => people(request, {}, { attempt }),
    }),
  )

  app.get(
    '/manage/people/:id',
    { schema: { hide: true, params, querystring: Type.Object({ done: word }) } },
    async (request, reply) =>
      sendScreen(reply, await person(request, request.params.id, { done: DONE[request.query.done ?? ''] })),
  )

  app.post('/manage/people/:id', forms, async (request, reply) => {
    const { id } = request.params
    return submitForm(request, reply, {
      act: async () => {
        await updatePrincipal(
          request.ctx,
          id,
          checked(updatePrincipalSchema, filled(request.body, 'name', 'role')),
        )
        return `/manage/people/${id}?done=saved`
      },
      again: (attempt) => person(request, id, { attempt }),
    })
  })

  app.post('/manage/people/:id/state', forms, async (request, reply) => {
    const { id } = request.params
    return submitForm(request, reply, {
      act: async () => {
        const disabled = textOf(request.body, 'disabled') === 'true'
        await updatePrincipal(request.ctx, id, { disabled })
        return `/manage/people/${id}?done=${disabled ? 'disabled' : 'enabled'}`
      },
      again: (attempt) => person(request, id, { attempt }),
    })
  })

  app.post('/manage/people/:id/keys', forms, async (request, reply) => {
    const { id } = request.params
    return showSecret(request, reply, {
      make: async () => {
        const input = newKeyOf(request.body, request.ctx.now())
        const { apiKey, secret } = await createKeyFor(request.ctx, { ...input, principal: id })
        const about = 'Copy it now and pass it to its owner. You won’t be able to see it again.'
        return secretBox({
          label: `The key “${apiKey.name}” of ${apiKey.principal.name}`,
          value: secret,
          about,
        })
      },
      screen: (shown) => person(request, id, shown),
    })
  })
}

async function people(
  request: FastifyRequest,
  filter: PeopleFilter,
  shown: { readonly cursor?: string | undefined; readonly attempt?: Attempt },
): Promise<Screen> {
  const { cursor } = shown
  const given = Object.fromEntries(Object.entries({ ...filter, cursor }).filter(([, value]) => value))
  const { disabled, ...rest } = given
  const asked = checked(principalQuery, { ...rest, ...(disabled && { disabled: disabled === 'true' }) })
  const list = await listPrincipals(request.ctx, asked as PrincipalFilter)
  return peopleScreen({ people: list, filter, csrf: csrfField(request), ...shown })
}

async function person(
  request: FastifyRequest,
  id: string,
  shown: SecretShown & { readonly done?: string | undefined },
): Promise<Screen> {
  const { ctx } = request
  const found = await readPrincipal(ctx, id)
  const keys = await listAllKeys(ctx, { principal: id, limit: 100 })
  return personScreen({
    person: found,
    keys,
    isSelf: found.id === ctx.actor.id,
    csrf: csrfField(request),
    ...shown,
  })
}
