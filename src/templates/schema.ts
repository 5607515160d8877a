import { Type } from 'typebox'
import { timeSchema } from '../access/schema.ts'
import { text } from '../http/bodies/text.ts'
import { strictObject } from '../http/strict-object.ts'
import { spaceSchema } from '../spaces/schema.ts'
import { MAX_TEMPLATE_ID, TEMPLATE_ID } from './space-template.ts'

const source = Type.Union([Type.Literal('builtin'), Type.Literal('org'), Type.Literal('remote')], {
  description:
    '`builtin`: included in Recto. `org`: a snapshot of one of your spaces. `remote`: from the catalogue.',
})
const templateId = Type.String({ pattern: TEMPLATE_ID, maxLength: MAX_TEMPLATE_ID })

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

const metadata = Type.Unsafe<Readonly<Record<string, unknown>>>({
  type: 'object',
  additionalProperties: true,
})

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
  pages: Type.Array(
    Type.Object({ path: Type.String(), body: Type.String(), metadata: Type.Optional(metadata) }),
  ),
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
  title: Type.Optional(text({ minLength: 1, maxLength: 200 })),
  description: Type.Optional(text({ maxLength: 2000 })),
  category: Type.Optional(text({ minLength: 1, maxLength: 100 })),
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
  ignoredFiles: Type.Integer({ description: 'Files of an archive that are not imported: hidden ones.' }),
  ignoredFileNames: Type.Array(Type.String(), { description: 'The names of the first 100 of them.' }),
  keptFrontMatter: Type.Integer({
    description:
      'With `frontMatter`: pages whose front matter stays text only, because metadata cannot hold it or it is not valid YAML.',
  }),
  keptFrontMatterPages: Type.Array(Type.Object({ path: Type.String(), message: Type.String() }), {
    description: 'The first 100 of these pages, each with the reason.',
  }),
  conflictCount: Type.Integer({ description: 'The number of pages and files that exist already.' }),
  conflicts: Type.Array(Type.String(), {
    description: 'Up to 100 of their paths, from `conflictsOffset`.',
  }),
})
