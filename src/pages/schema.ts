import { type Static, Type } from 'typebox'
import { actorSchema, pageParams, timeSchema } from '../access/schema.ts'
import { text } from '../http/text.ts'

export const versionNumber = Type.Integer({
  minimum: 1,
  maximum: 2_147_483_647,
  description: 'Number of a revision.',
})

export const versionParams = Type.Object({ ...pageParams.properties, n: versionNumber })

export const noteSchema = text({ maxLength: 2000, description: 'What the revision is about.' })

const pageFields = {
  space: Type.String(),
  path: Type.String(),
  url: Type.String({ description: 'Address of the page.' }),
  title: Type.String({
    description: 'Front matter’s `title`, else the first heading, else the last segment of the path.',
  }),
  version: Type.Integer(),
  etag: Type.String({ description: 'Send it as `If-Match` to change the page.' }),
  frontmatter: Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', additionalProperties: true }),
  note: Type.Union([Type.String(), Type.Null()]),
  createdAt: timeSchema,
  createdBy: actorSchema,
  updatedAt: timeSchema,
  updatedBy: actorSchema,
}

export const pageSchema = Type.Object(pageFields)

export const pageWithBodySchema = Type.Object({
  ...pageFields,
  body: Type.String({ description: 'Markdown, byte for byte as it was written.' }),
})

export const putPageSchema = Type.Object(
  {
    body: Type.Optional(Type.String({ description: 'Markdown. Left out where a template is named.' })),
    note: Type.Optional(noteSchema),
    template: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'Page template to make the page from: `name` in the same space, or `space/name`.',
      }),
    ),
    variables: Type.Optional(
      Type.Unsafe<Readonly<Record<string, unknown>>>({
        type: 'object',
        description: 'Values for the variables of the template.',
      }),
    ),
    metadata: Type.Optional(
      Type.Unsafe<Readonly<Record<string, unknown>>>({
        type: 'object',
        description: 'Values by key, on create only.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type PutPage = Static<typeof putPageSchema>

export const trashedPageSchema = Type.Object({
  ...Type.Pick(pageSchema, [
    'space',
    'path',
    'title',
    'version',
    'createdAt',
    'createdBy',
    'updatedAt',
    'updatedBy',
  ]).properties,
  deletedAt: timeSchema,
  deletedBy: actorSchema,
  expiresAt: Type.Union([timeSchema, Type.Null()], {
    description: 'From when on it may be removed for good; null: it is kept.',
  }),
})

export const revisionSchema = Type.Object({
  version: Type.Integer(),
  title: Type.String(),
  note: Type.Union([Type.String(), Type.Null()]),
  size: Type.Integer({ description: 'Bytes of the body.' }),
  createdAt: timeSchema,
  createdBy: actorSchema,
  restoredFrom: Type.Union([Type.Integer(), Type.Null()], { description: 'The version that was promoted.' }),
  isLatest: Type.Boolean(),
})
