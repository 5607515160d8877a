import type { Language } from '../lib/languages.ts'

/** The source of a space template: the release, a snapshot of the organisation, or the remote catalogue. */
export const TEMPLATE_SOURCES = ['builtin', 'org', 'remote'] as const
export type TemplateSource = (typeof TEMPLATE_SOURCES)[number]

/** An entry of the gallery. */
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

/** What everybody sees of a file of a template. */
interface TemplateFile {
  readonly path: string
  readonly size: number
  readonly contentType: string
}

/** A template with its content. */
export interface SpaceTemplate extends TemplateItem {
  readonly space: {
    readonly name: string
    readonly description: string
    readonly language: Language
    readonly icon?: string
  }
  /** The slug of the space that the snapshot was taken of, if known. */
  readonly createdFrom?: string
  readonly pages: readonly TemplatePage[]
  readonly files: readonly TemplateFile[]
}

/** A space is created from a template in one transaction, with the template in memory. */
export const MAX_TEMPLATE_PAGES = 2_000
export const MAX_TEMPLATE_FILES = 2_000
export const MAX_TEMPLATE_BYTES = 32 * 1024 * 1024

/** Ids are part of URLs, like the slugs of spaces. */
export const TEMPLATE_ID = '^[a-z0-9]+(?:-[a-z0-9]+)*$'
export const MAX_TEMPLATE_ID = 64
