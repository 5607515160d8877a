/** Where a space template comes from: the repository, a snapshot of the organisation, or the remote catalogue. */
export const TEMPLATE_SOURCES = ['builtin', 'org', 'remote'] as const
export type TemplateSource = (typeof TEMPLATE_SOURCES)[number]

/** What the gallery shows. */
export interface TemplateItem {
  readonly source: TemplateSource
  readonly id: string
  readonly title: string
  readonly description: string
  readonly category: string
  readonly pageCount: number
  readonly updatedAt: string
}

export interface TemplatePage {
  readonly path: string
  readonly body: string
  readonly metadata?: Readonly<Record<string, unknown>>
}

/** A template with what a space made from it begins with. */
export interface SpaceTemplate extends TemplateItem {
  readonly space: { readonly name: string; readonly description: string }
  /** The slug of the space that it was made of, where that is known. */
  readonly madeOf?: string
  readonly pages: readonly TemplatePage[]
}

/** A template is made into a space in one transaction, and is held in memory for that. */
export const MAX_TEMPLATE_PAGES = 2_000
export const MAX_TEMPLATE_BYTES = 32 * 1024 * 1024

/** Ids are words for addresses, like the slugs of spaces. */
export const TEMPLATE_ID = '^[a-z0-9]+(?:-[a-z0-9]+)*$'
export const MAX_TEMPLATE_ID = 64
