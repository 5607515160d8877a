import { type Static, Type } from 'typebox'
import { text } from '../../http/bodies/text.ts'
import { MAX_TEMPLATE_ID, TEMPLATE_ID } from '../space-template.ts'

/** A template of the remote catalogue. `url` is the URL of its bundle, relative to that of the catalogue. */
export const catalogueEntrySchema = Type.Object(
  {
    id: Type.String({ pattern: TEMPLATE_ID, maxLength: MAX_TEMPLATE_ID }),
    title: text({ minLength: 1, maxLength: 200 }),
    description: text({ maxLength: 2000 }),
    category: text({ minLength: 1, maxLength: 100 }),
    url: Type.String({ minLength: 1, maxLength: 2048 }),
  },
  { additionalProperties: false },
)
export type CatalogueEntry = Static<typeof catalogueEntrySchema>

/** The catalogue. Its entries are validated one by one. */
export const catalogueSchema = Type.Object(
  {
    format: Type.Literal('space-template-catalogue'),
    formatVersion: Type.Literal(1),
    templates: Type.Array(Type.Unknown()),
  },
  { additionalProperties: false },
)
