import type { FastifyRequest } from 'fastify'
import type { Server } from '../../http/server.ts'
import { createSpaceSchema } from '../../spaces/schema.ts'
import { createSpace, requireSpaceMaker } from '../../spaces/space.ts'
import { csrfField } from '../forms.ts'
import {
  type Attempt,
  checked,
  type Fields,
  fieldsSchema,
  filled,
  sendScreen,
  submitForm,
  textOf,
} from '../screen.ts'
import { newSpaceScreen } from './new-space-view.ts'

/** Making an empty space. */
export async function newSpaceRoutes(app: Server): Promise<void> {
  app.get('/new-space', { schema: { hide: true } }, async (request, reply) => {
    requireSpaceMaker(request.ctx)
    return sendScreen(reply, screen(request))
  })

  app.post('/new-space', { schema: { hide: true, body: fieldsSchema } }, async (request, reply) =>
    submitForm(request, reply, {
      act: async () => {
        const space = await createSpace(request.ctx, newSpaceOf(request.body))
        return `/browse/${space.slug}`
      },
      again: (attempt) => screen(request, attempt),
    }),
  )
}

/** What the fields of `spaceFields` say. */
export function newSpaceOf(fields: Fields) {
  const given = filled(fields, 'name', 'description', 'visibility', 'defaultRole')
  return checked(createSpaceSchema, { slug: textOf(fields, 'slug').trim(), ...given })
}

function screen(request: FastifyRequest, attempt?: Attempt) {
  return newSpaceScreen({ csrf: csrfField(request), ...(attempt && { attempt }) })
}
