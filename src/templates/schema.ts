import { type Static, Type } from 'typebox'
import { timeSchema } from '../access/schema.ts'
import { text } from '../http/text.ts'
import { spaceSchema } from '../spaces/schema.ts'
import { MAX_TEMPLATE_ID, TEMPLATE_ID } from './space-template.ts'

export const pageTemplateSchema = Type.Object({
  space: Type.String(),
  path: Type.String(),
  name: Type.String({ description: 'What `template` of a PUT names it by: its path behind `templates/`.' }),
  title: Type.String(),
  description: Type.Union([Type.String(), Type.Null()]),
  pathPrefix: Type.Union([Type.String(), Type.Null()], {
    description: 'Where pages made from it usually stand, such as `decisions/`. Nothing enforces it.',
  }),
  version: Type.Integer(),
  updatedAt: timeSchema,
  metadataDefaults: Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    additionalProperties: true,
    description: 'The metadata that a page made from it begins with.',
  }),
  variables: Type.Array(Type.String(), {
    description:
      'The variables of its text. `title`, `date` and `author` have values unless you give others.',
  }),
  content: Type.Optional(
    Type.String({ description: 'Its text behind the front matter, with `includeContent=true`.' }),
  ),
})
export type PageTemplate = Static<typeof pageTemplateSchema>

const source = Type.Union([Type.Literal('builtin'), Type.Literal('org'), Type.Literal('remote')], {
  description:
    '`builtin`: comes with Recto. `org`: a snapshot of one of your spaces. `remote`: of the catalogue.',
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
    { name: Type.String(), description: Type.String() },
    { description: 'What a space made from it is called, unless you say otherwise.' },
  ),
  pages: Type.Array(
    Type.Object({ path: Type.String(), body: Type.String(), metadata: Type.Optional(metadata) }),
  ),
})

export const createdSpaceSchema = Type.Object({
  space: spaceSchema,
  template: templateItemSchema,
  pagesCreated: Type.Integer(),
})

export const snapshotSchema = Type.Object(
  {
    space: Type.String({ description: 'Slug of the space whose pages are kept.' }),
    id: Type.Optional(templateId),
    title: Type.Optional(text({ minLength: 1, maxLength: 200 })),
    description: Type.Optional(text({ maxLength: 2000 })),
    category: Type.Optional(text({ minLength: 1, maxLength: 100 })),
  },
  { additionalProperties: false },
)

export const importReportSchema = Type.Object({
  dryRun: Type.Boolean(),
  pages: Type.Integer({ description: 'Pages in the upload.' }),
  created: Type.Integer(),
  updated: Type.Integer(),
  unchanged: Type.Integer({ description: 'Pages that were what the upload says already.' }),
  skipped: Type.Integer(),
  ignoredFiles: Type.Integer({ description: 'Files of an archive that are no page and belong to none.' }),
  ignoredFileNames: Type.Array(Type.String(), { description: 'The names of the first hundred of them.' }),
  conflictCount: Type.Integer({ description: 'At how many paths pages existed already.' }),
  conflicts: Type.Array(Type.String(), {
    description: 'A hundred of these paths, from `conflictsOffset` on.',
  }),
})
