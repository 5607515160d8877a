import { type Static, Type } from 'typebox'
import { text } from '../../http/bodies/text.ts'
import { strictObject } from '../../http/strict-object.ts'
import { MAX_TEMPLATE_ID, TEMPLATE_ID } from '../space-template.ts'

/** A template of the remote catalogue. `url` is the URL of its bundle, relative to that of the catalogue. */
export const catalogueEntrySchema = strictObject({
  id: Type.String({ pattern: TEMPLATE_ID, maxLength: MAX_TEMPLATE_ID }),
  title: text({ minLength: 1, maxLength: 200 }),
  description: text({ maxLength: 2000 }),
  category: text({ minLength: 1, maxLength: 100 }),
  url: Type.String({ minLength: 1, maxLength: 2048 }),
})
export type CatalogueEntry = Static<typeof catalogueEntrySchema>

/** The catalogue. Its entries are validated one by one. */
export const catalogueSchema = strictObject({
  format: Type.Literal('space-template-catalogue'),
  formatVersion: Type.Literal(1),
  templates: Type.Array(Type.Unknown()),
})
