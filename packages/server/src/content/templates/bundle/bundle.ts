import { type Static, Type } from 'typebox'
import { writtenPathSchema } from '../../../access/schema.ts'
import { anyObject, enumSchema, nullable, strictObject, text } from '../../../platform/http/schemas.ts'
import { OPS } from '../../metadata/patch.ts'

export const BUNDLE_FORMAT = 'page-bundle'
/** 1 is read for ever; an export with comments or the history of metadata is 2. */
export const BUNDLE_VERSIONS = [1, 2] as const
export type BundleVersion = (typeof BUNDLE_VERSIONS)[number]

const time = Type.String({
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(?:\\.\\d{1,9})?(?:Z|[+-]\\d\\d:\\d\\d)$',
  description: 'RFC 3339.',
})
const author = strictObject({
  name: text({ minLength: 1, maxLength: 500 }),
  kind: enumSchema(['human', 'agent']),
  via: Type.Optional(text({ maxLength: 500, description: 'The connected app.' })),
})

const revisionFields = {
  version: Type.Integer({ minimum: 1, maximum: 2_000_000_000 }),
  body: Type.Optional(Type.String({ description: 'Absent in the latest revision: it is the body of the page.' })),
  note: Type.Optional(nullable(text({ maxLength: 2000 }))),
  createdAt: time,
  createdBy: author,
  restoredFrom: Type.Optional(nullable(Type.Integer({ minimum: 1 }))),
}

/** A revision in a bundle. Revisions are sorted by version, latest last. */
const bundleRevisionSchema = strictObject(revisionFields)
export type BundleRevision = Static<typeof bundleRevisionSchema>

const position = Type.Integer({ minimum: 0, maximum: 2_000_000_000 })
/** A change of a key of the metadata, as the audit stores it: the value after it is the one before the next change. */
const bundleMetadataEventSchema = strictObject({
  key: Type.String(),
  op: enumSchema(OPS),
  existed: Type.Boolean({ description: 'Whether there was a value before.' }),
  previousValue: Type.Optional(Type.Unknown({ description: 'The value that a `set` or `delete` ended.' })),
  previousLength: Type.Optional(position),
  length: Type.Optional(position),
  createdAt: time,
  createdBy: author,
})
export type BundleMetadataEvent = Static<typeof bundleMetadataEventSchema>

/** A thread of comments about a page. Its place is that of the quote in a version, in UTF-16 code units and lines. */
const bundleThreadSchema = strictObject({
  quote: Type.Optional(
    strictObject({
      exact: text({ minLength: 1, maxLength: 1000 }),
      prefix: Type.Optional(text({ maxLength: 1000 })),
      suffix: Type.Optional(text({ maxLength: 1000 })),
    }),
  ),
  place: Type.Optional(
    strictObject({
      version: revisionFields.version,
      start: position,
      end: position,
      startLine: position,
      endLine: position,
    }),
  ),
  createdAt: time,
  createdBy: author,
  resolvedAt: Type.Optional(time),
  resolvedBy: Type.Optional(author),
  comments: Type.Array(
    strictObject({
      body: text({ minLength: 1, maxLength: 10_000 }),
      createdAt: time,
      createdBy: author,
      editedAt: Type.Optional(time),
    }),
    { minItems: 1, maxItems: 500 },
  ),
})
export type BundleThread = Static<typeof bundleThreadSchema>
export const threadsSchema = Type.Array(bundleThreadSchema, { maxItems: 1000 })

export const bundlePageSchema = strictObject({
  path: writtenPathSchema,
  body: Type.String(),
  metadata: Type.Optional(anyObject()),
  revisions: Type.Optional(Type.Array(bundleRevisionSchema, { minItems: 1 })),
  metadataHistory: Type.Optional(Type.Array(bundleMetadataEventSchema, { minItems: 1 })),
  threads: Type.Optional(threadsSchema),
})
export type BundlePage = Static<typeof bundlePageSchema>

const versionSchema = Type.Union(BUNDLE_VERSIONS.map((version) => Type.Literal(version)))

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
  threads: Type.Optional(threadsSchema),
})
export type BundleFilePart = Static<typeof bundleFilePartSchema>

export const bundleSchema = Type.Object({
  format: Type.Literal(BUNDLE_FORMAT),
  formatVersion: versionSchema,
  space: bundleSpaceSchema,
  pages: Type.Array(bundlePageSchema),
  files: Type.Optional(Type.Array(bundleFilePartSchema)),
})

/** What an import needs of a bundle. */
export const importedBundleSchema = Type.Object({
  format: Type.Literal(BUNDLE_FORMAT),
  formatVersion: versionSchema,
  space: Type.Optional(Type.Object({ ...bundleSpace, name: Type.Optional(Type.String()) })),
  pages: Type.Optional(Type.Array(bundlePageSchema)),
  files: Type.Optional(Type.Array(bundleFilePartSchema)),
})

/** The members of a bundle before its pages. */
export function bundleHead(space: BundleSpace, formatVersion: BundleVersion) {
  return { format: BUNDLE_FORMAT, formatVersion, space }
}
