import { type Static, Type } from 'typebox'
import { timeSchema } from '../../../access/schema.ts'
import { anyObject, nullable } from '../../../platform/http/schemas.ts'

export const pageTemplateSchema = Type.Object({
  space: Type.String(),
  path: Type.String(),
  name: Type.String({ description: 'The value of `template` in a PUT: the path after `templates/`.' }),
  title: Type.String(),
  description: nullable(Type.String()),
  pathPrefix: nullable(
    Type.String(),
    'The usual path prefix of pages created from it, such as `decisions/`. Not enforced.',
  ),
  version: Type.Integer(),
  updatedAt: timeSchema,
  metadataDefaults: anyObject('Initial metadata of pages created from it.'),
  variables: Type.Array(Type.String(), {
    description: 'The variables of the template. `title`, `date` and `author` have default values.',
  }),
  content: Type.Optional(Type.String({ description: 'The text after the front matter, with `includeContent=true`.' })),
})
export type PageTemplate = Static<typeof pageTemplateSchema>
