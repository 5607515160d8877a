import { slugifyName } from '@recto/contract/page-address.ts'
import { createSpaceSchema } from '../../../content/spaces/schema.ts'
import { createSpace, requireSpaceMaker } from '../../../content/spaces/space.ts'
import { registerRoutes } from '../../../platform/http/endpoint.ts'
import { checked, type Fields, filled, readText } from '../fields.ts'
import { formRoute, screenRoute } from '../screen.ts'
import { browseUrl } from '../urls.ts'
import { newSpaceScreen } from './new-space-view.ts'

/** Creating an empty space. */
export const newSpaceRoutes = registerRoutes(
  screenRoute('/new-space', {
    view: ({ ctx }) => {
      requireSpaceMaker(ctx)
      return newSpaceScreen()
    },
  }),
  formRoute('/new-space', {
    act: async ({ ctx, body }) => browseUrl((await createSpace(ctx, readNewSpace(body))).slug),
    view: (_, failed) => newSpaceScreen(failed),
  }),
)

/** The input that the fields of `spaceFields` describe. */
export function readNewSpace(fields: Fields) {
  const input = filled(fields, 'name', 'description', 'visibility', 'defaultRole', 'language')
  const slug = readText(fields, 'slug').trim() || slugifyName(readText(fields, 'name'))
  return checked(createSpaceSchema, { slug, ...input })
}
