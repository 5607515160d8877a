import type { Edit } from '@recto/markdown/edits/edits.ts'
import { type Static, Type } from 'typebox'
import * as access from '../../access/schema.ts'
import { verificationSchema } from '../../access/verification.ts'
import { itemSchema } from '../../platform/http/batch.ts'
import { anyObject, line, nullable, strictObject, text } from '../../platform/http/schemas.ts'
import { redirectEnded } from '../files/schema.ts'
import { iconSchema } from '../search/schema.ts'

export const versionNumber = Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Number of a revision.' })

export const versionParams = Type.Object({ ...access.pageParams.properties, n: versionNumber })

export const noteSchema = line({ maxLength: 2000, description: 'What the revision is about.' })

const pageFields = {
  space: Type.String(),
  path: Type.String(),
  url: Type.String({ description: 'Address of the page.' }),
  title: Type.String({
    description: 'Front matter’s `title`, else the first heading, else the last segment of the path.',
  }),
  version: Type.Unsafe<number>(nullable(Type.Integer(), 'Null: a change request creates the page.')),
  etag: Type.String({ description: 'Send it as `If-Match` to change the page.' }),
  frontmatter: anyObject(),
  note: Type.Optional(nullable(Type.String())),
  createdAt: access.timeSchema,
  createdBy: access.authorSchema,
  updatedAt: access.timeSchema,
  updatedBy: access.authorSchema,
  verification: nullable(verificationSchema, 'Null: nobody verified the page.'),
  draft: Type.Optional(access.draftSchema),
}

export const pageSchema = Type.Object(pageFields)

/** The page as a write leaves it, with what only that write knows. */
export const pageAfterWriteSchema = Type.Object({
  ...pageFields,
  restoredFrom: Type.Optional(Type.Integer({ description: 'The version whose body it has again.' })),
  metadata: Type.Optional(anyObject()),
  redirectEnded,
  ...access.proposalFields,
})
export type PageAfterWrite = Static<typeof pageAfterWriteSchema>

export const pageWithBodySchema = Type.Object({
  ...pageFields,
  body: Type.String({ description: 'Markdown, byte for byte as written.' }),
})

export const batchGetSchema = strictObject({
  pages: Type.Array(
    strictObject({ space: Type.String(), path: access.writtenPathSchema, version: Type.Optional(versionNumber) }),
    { minItems: 1, maxItems: 100 },
  ),
})

export const batchItemSchema = itemSchema({ page: Type.Optional(pageWithBodySchema) })

export const putPageSchema = strictObject({
  body: Type.Optional(Type.String({ description: 'Markdown; omitted if there is a `template`.' })),
  note: Type.Optional(noteSchema),
  template: Type.Optional(
    text({
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
    Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', description: 'Values by key, on create only.' }),
  ),
})
export type PutPage = Static<typeof putPageSchema>

const addedText = Type.String({ description: 'Markdown. It gets lines of its own.' })
const headingName = {
  heading: Type.String({ minLength: 1, description: 'The text of a heading, without its marks.' }),
  level: Type.Optional(Type.Integer({ minimum: 1, maximum: 6 })),
  occurrence: Type.Optional(Type.Integer({ minimum: 1, description: 'Which of several that fit, counted from 1.' })),
}

const editSchema = Type.Unsafe<Edit>({
  type: 'object',
  required: ['op'],
  // Names the form by `op`, so that an error describes that form only.
  discriminator: { propertyName: 'op' },
  oneOf: [
    strictObject({ op: Type.Literal('append'), text: addedText }),
    strictObject({ op: Type.Literal('prepend'), text: addedText }),
    strictObject({
      op: Type.Literal('replace'),
      find: Type.String({ minLength: 1, description: 'Exact text.' }),
      text: Type.String(),
      expectedCount: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 1 })),
    }),
    strictObject({ op: Type.Literal('replaceSection'), ...headingName, text: addedText }),
    strictObject({ op: Type.Literal('appendToSection'), ...headingName, text: addedText }),
    strictObject({ op: Type.Literal('insertBefore'), ...headingName, text: addedText }),
    strictObject({ op: Type.Literal('insertAfter'), ...headingName, text: addedText }),
  ],
})

export const editPageSchema = strictObject({
  edits: Type.Array(editSchema, { minItems: 1, maxItems: 100 }),
  note: Type.Optional(noteSchema),
})

const batchedAddress = {
  space: Type.String(),
  path: access.writtenPathSchema,
  ifMatch: Type.Optional(Type.String({ description: 'As the header `If-Match`.' })),
}
const batchedWrites = [
  strictObject({
    op: Type.Literal('put'),
    ...batchedAddress,
    ifNoneMatch: Type.Optional(Type.String({ description: '`*`: only create.' })),
    ...putPageSchema.properties,
  }),
  strictObject({ op: Type.Literal('patch'), ...batchedAddress, ...editPageSchema.properties }),
  strictObject({
    op: Type.Literal('delete'),
    ...batchedAddress,
    purge: Type.Optional(Type.Boolean({ description: 'Delete it permanently; for admins of the space.' })),
  }),
] as const
export type BatchWrite = Static<(typeof batchedWrites)[number]>

export const batchWriteSchema = strictObject({
  operations: Type.Array(
    Type.Unsafe<BatchWrite>({
      type: 'object',
      required: ['op'],
      discriminator: { propertyName: 'op' },
      oneOf: [...batchedWrites],
    }),
    { minItems: 1, maxItems: 100 },
  ),
})

const changeSchema = Type.Object({
  edit: Type.Integer({ description: 'Number of the edit, counted from 0.' }),
  fromLine: Type.Integer({ description: 'First line that it changed, counted from 1 in the new body.' }),
  toLine: Type.Integer(),
})

export const editedPageSchema = Type.Object({
  ...pageSchema.properties,
  ...access.proposalFields,
  changes: Type.Array(changeSchema),
})

export const writtenItemSchema = itemSchema({
  page: Type.Optional(pageAfterWriteSchema),
  changes: Type.Optional(Type.Array(changeSchema, { description: 'Of a `patch`.' })),
})

export const addressSchema = Type.Object({ space: Type.String(), path: Type.String() })

export const revisionSchema = Type.Object({
  version: Type.Integer(),
  title: Type.String(),
  note: nullable(Type.String()),
  size: Type.Integer({ description: 'Bytes of the body.' }),
  createdAt: access.timeSchema,
  createdBy: access.actorSchema,
  restoredFrom: nullable(Type.Integer(), 'The version that was restored.'),
  isLatest: Type.Boolean(),
  changeRequest: Type.Optional(
    nullable(Type.Integer(), 'The change request whose merge made it; null: the page has left its space.'),
  ),
  mergedBy: Type.Optional(access.actorSchema),
  authors: Type.Optional(Type.Array(access.actorSchema, { description: 'Everybody who wrote the draft.' })),
})

export const orderSchema = Type.Object({ folder: Type.String(), names: Type.Array(Type.String()) })

export const titledSchema = Type.Object({
  space: Type.String({ description: 'Slug of the space; `personal` is your own.' }),
  path: Type.String(),
  title: Type.String(),
  url: Type.String({ description: 'The address of the page on this service, such as `/pages/docs/start`.' }),
  icon: Type.Optional(iconSchema),
})

export const favouriteSchema = Type.Object({
  space: Type.String({ description: 'Slug of the space; `personal` is your own.' }),
  spaceName: Type.String(),
  spaceIcon: Type.Optional(Type.String({ description: 'The icon of the space: one emoji.' })),
  page: nullable(titledSchema, 'The page; null: the space itself.'),
  createdAt: access.timeSchema,
})

export const suggestionsSchema = Type.Object({
  pages: Type.Array(titledSchema, {
    description:
      'By title and path, as in `/titles`. If there are none: ' +
      'those of the about 1,000 latest pages whose title or path has the letters in their order.',
  }),
  headings: Type.Array(Type.Object({ ...titledSchema.properties, heading: Type.String() }), {
    description:
      'Headings of pages with the words, those of the newest pages first; `url` has the anchor of the heading.',
  }),
  words: Type.Array(Type.String(), {
    description: 'What the last word may become, those that most of the pages have first.',
  }),
})
