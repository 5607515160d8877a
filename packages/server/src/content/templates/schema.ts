import { type Static, Type } from 'typebox'
import { timeSchema } from '../../access/schema.ts'
import { anyObject, enumSchema, line, lines, strictObject, text } from '../../platform/http/schemas.ts'
import { addressSchema } from '../pages/schema.ts'
import { spaceSchema } from '../spaces/schema.ts'

/** The sources of space templates: the release, a snapshot of the organisation, or the remote catalogue. */
export const TEMPLATE_SOURCES = ['builtin', 'org', 'remote'] as const
const source = enumSchema(
  TEMPLATE_SOURCES,
  '`builtin`: included in Recto. `org`: a snapshot of one of your spaces. `remote`: from the catalogue.',
)
/** Ids are part of URLs, like the slugs of spaces. */
const templateId = Type.String({ pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$', maxLength: 64 })

export const gallerySourceSchema = Type.Optional(source)
export const templateParams = Type.Object({ source, id: Type.String() })

export const templateItemSchema = Type.Object({
  source,
  id: Type.String(),
  title: Type.String(),
  description: Type.String(),
  category: Type.String(),
  pageCount: Type.Integer(),
  updatedAt: timeSchema,
})

const metadata = anyObject()

export const spaceTemplateSchema = Type.Object({
  ...templateItemSchema.properties,
  space: Type.Object(
    {
      name: Type.String(),
      description: Type.String(),
      language: spaceSchema.properties.language,
      icon: Type.Optional(Type.String()),
    },
    { description: 'Default name, description and language of a space created from it.' },
  ),
  pages: Type.Array(Type.Object({ path: Type.String(), body: Type.String(), metadata: Type.Optional(metadata) })),
  files: Type.Array(Type.Object({ path: Type.String(), size: Type.Integer(), contentType: Type.String() })),
})

export const createdSpaceSchema = Type.Object({
  space: spaceSchema,
  template: templateItemSchema,
  pagesCreated: Type.Integer(),
  filesCreated: Type.Integer(),
})

export const snapshotSchema = strictObject({
  space: Type.String({ description: 'Slug of the space of the snapshot.' }),
  id: Type.Optional(templateId),
  title: Type.Optional(line({ minLength: 1, maxLength: 200 })),
  description: Type.Optional(lines({ maxLength: 2000 })),
  category: Type.Optional(line({ minLength: 1, maxLength: 100 })),
})

export const importReportSchema = Type.Object({
  dryRun: Type.Boolean(),
  pages: Type.Integer({ description: 'Pages in the upload.' }),
  created: Type.Integer(),
  updated: Type.Integer(),
  unchanged: Type.Integer({ description: 'Pages that are already equal to the upload.' }),
  skipped: Type.Integer(),
  files: Type.Object(
    {
      total: Type.Integer({ description: 'Files in the upload.' }),
      created: Type.Integer(),
      updated: Type.Integer(),
      unchanged: Type.Integer({ description: 'Files with the same bytes.' }),
      skipped: Type.Integer(),
    },
    { description: 'The files beside the pages.' },
  ),
  ignoredFiles: Type.Integer({ description: 'Files of an archive that are not imported: hidden and refused ones.' }),
  ignoredFileNames: Type.Array(Type.String(), { description: 'The names of the first 100 of them.' }),
  refused: Type.Optional(
    Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
      description:
        'Those of these names that are not just hidden, each with the reason. ' +
        'A bundle of this service is imported whole or not at all.',
    }),
  ),
  keptFrontMatter: Type.Integer({
    description:
      'With `frontMatter`: pages whose front matter stays text only, because metadata cannot hold it or it is ' +
      'not valid YAML.',
  }),
  keptFrontMatterPages: Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
    description: 'The first 100 of these pages, each with the reason.',
  }),
  conflictCount: Type.Integer({ description: 'The number of pages and files that exist already.' }),
  conflicts: Type.Array(Type.String(), { description: 'Up to 100 of their paths, from `conflictsOffset`.' }),
  redirectsEnded: Type.Optional(
    Type.Array(Type.Object({ from: addressSchema, to: addressSchema }), {
      description: 'The first 100 redirects at paths of the upload, of pages and of files, which end.',
    }),
  ),
})

/** A template of the remote catalogue. `url` is the URL of its bundle, relative to that of the catalogue. */
export const catalogueEntrySchema = strictObject({
  id: templateId,
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
