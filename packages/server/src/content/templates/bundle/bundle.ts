import { type Static, Type } from 'typebox'
import { writtenPathSchema } from '../../../access/schema.ts'
import { text } from '../../../platform/http/bodies/text.ts'
import { anyObject, enumSchema, nullable, strictObject } from '../../../platform/http/schemas.ts'

export const BUNDLE_FORMAT = 'page-bundle'
export const BUNDLE_VERSION = 1

const revisionFields = {
  version: Type.Integer({ minimum: 1, maximum: 2_000_000_000 }),
  body: Type.Optional(Type.String({ description: 'Absent in the latest revision: it is the body of the page.' })),
  note: Type.Optional(nullable(text({ maxLength: 2000 }))),
  createdAt: Type.String({
    pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?(?:Z|[+-]\\d\\d:\\d\\d)$',
    description: 'RFC 3339.',
  }),
  createdBy: strictObject({
    name: text({ minLength: 1, maxLength: 500 }),
    kind: enumSchema(['human', 'agent']),
    via: Type.Optional(text({ maxLength: 500, description: 'The connected app.' })),
  }),
  restoredFrom: Type.Optional(nullable(Type.Integer({ minimum: 1 }))),
}

/** A revision in a bundle. Revisions are sorted by version, latest last. */
const bundleRevisionSchema = strictObject(revisionFields)
export type BundleRevision = Static<typeof bundleRevisionSchema>

export const bundlePageSchema = strictObject({
  path: writtenPathSchema,
  body: Type.String(),
  metadata: Type.Optional(anyObject()),
  revisions: Type.Optional(Type.Array(bundleRevisionSchema, { minItems: 1 })),
})
export type BundlePage = Static<typeof bundlePageSchema>

const bundleSpace = {
  slug: Type.String(),
  name: Type.String(),
  description: Type.Optional(Type.String()),
  language: Type.Optional(Type.String()),
  icon: Type.Optional(Type.String()),
}
const bundleSpaceSchema = strictObject(bundleSpace)
export type BundleSpace = Static<typeof bundleSpaceSchema>

/** A part of the bytes of a file; the parts of one file are consecutive. */
const bundleFilePartSchema = strictObject({
  path: Type.String(),
  data: Type.String({ description: 'Base64.' }),
  more: Type.Optional(Type.Boolean({ description: 'Whether the next part belongs to the same file.' })),
})
export type BundleFilePart = Static<typeof bundleFilePartSchema>

export const bundleSchema = Type.Object({
  format: Type.Literal(BUNDLE_FORMAT),
  formatVersion: Type.Literal(BUNDLE_VERSION),
  space: bundleSpaceSchema,
  pages: Type.Array(bundlePageSchema),
  files: Type.Optional(Type.Array(bundleFilePartSchema)),
})

/** What an import needs of a bundle. */
export const importedBundleSchema = Type.Object({
  format: Type.Literal(BUNDLE_FORMAT),
  formatVersion: Type.Literal(BUNDLE_VERSION),
  space: Type.Optional(Type.Object({ ...bundleSpace, name: Type.Optional(Type.String()) })),
  pages: Type.Optional(Type.Array(bundlePageSchema)),
  files: Type.Optional(Type.Array(bundleFilePartSchema)),
})

/** The members of a bundle before its pages. */
export function bundleHead(space: BundleSpace) {
  return { format: BUNDLE_FORMAT, formatVersion: BUNDLE_VERSION, space }
}
