import type { FastifyRequest } from 'fastify'
import { slugOf } from '../../http/addresses/page-address.ts'
import { routesOf } from '../../http/endpoint.ts'
import { createSpaceSchema } from '../../spaces/schema.ts'
import { createSpace, requireSpaceMaker } from '../../spaces/space.ts'
import { checked, type Fields, filled, textOf } from '../fields.ts'
import { csrfField } from '../forms.ts'
import { type FailedForm, formRoute, type Screen, screenRoute } from '../screen.ts'
import { browseUrl } from '../urls.ts'
import { newSpaceScreen } from './new-space-view.ts'

/** Creating an empty space. */
export const newSpaceRoutes = routesOf(
  screenRoute('/new-space', {
    view: (request) => {
      requireSpaceMaker(request.ctx)
      return newSpace(request)
    },
  }),
  formRoute('/new-space', {
    act: async ({ ctx, body }) => browseUrl((await createSpace(ctx, newSpaceOf(body))).slug),
    view: newSpace,
  }),
)

/** The input that the fields of `spaceFields` describe. */
export function newSpaceOf(fields: Fields) {
  const given = filled(fields, 'name', 'description', 'visibility', 'defaultRole', 'language')
  const slug = textOf(fields, 'slug').trim() || slugOf(textOf(fields, 'name'))
  return checked(createSpaceSchema, { slug, ...given })
}

function newSpace(request: FastifyRequest, failed?: FailedForm): Screen {
  return newSpaceScreen({ csrf: csrfField(request), failed })
}
