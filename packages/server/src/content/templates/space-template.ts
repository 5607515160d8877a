import type { Static } from 'typebox'
import type { spaceTemplateSchema, templateItemSchema } from './schema.ts'

export type TemplateSource = TemplateItem['source']

/** An entry of the gallery. */
export type TemplateItem = Static<typeof templateItemSchema>

/** A template with its content. */
export type SpaceTemplate = Static<typeof spaceTemplateSchema> & {
  /** The slug of the space that the snapshot was taken of, if known. */
  readonly createdFrom?: string
}
export type TemplatePage = SpaceTemplate['pages'][number]

/** A space is created from a template in one transaction, with the template in memory. */
export const MAX_TEMPLATE_PAGES = 2_000
export const MAX_TEMPLATE_FILES = 2_000
export const MAX_TEMPLATE_BYTES = 32 * 1024 * 1024
