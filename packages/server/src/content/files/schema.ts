import { type Static, Type } from 'typebox'
import * as access from '../../access/schema.ts'
import { nullable } from '../../platform/http/schemas.ts'

/** The parameters of every route below a file. */
export const fileParams = Type.Object({
  space: access.spaceParameter,
  path: Type.String({
    description: 'Path of the file: segments joined by `/` or `%2F`. It is the whole name, a suffix included.',
  }),
})

const bytesFields = {
  size: Type.Integer({ description: 'Bytes.' }),
  contentType: Type.String({ description: 'Detected from the bytes.' }),
  digest: Type.String({ description: 'SHA-256 of the bytes, in hexadecimal digits.' }),
  width: nullable(Type.Integer(), 'Pixels of an image as displayed; null for other files.'),
  height: nullable(Type.Integer()),
}

export const fileSchema = Type.Object({
  space: Type.String(),
  path: Type.String(),
  url: Type.String({ description: 'Address of the file.' }),
  ...bytesFields,
  version: Type.Unsafe<number>(nullable(Type.Integer(), 'Null: a change request creates the file.')),
  etag: Type.String({ description: 'Send it as `If-Match` to change the file.' }),
  createdAt: access.timeSchema,
  createdBy: access.authorSchema,
  updatedAt: access.timeSchema,
  updatedBy: access.authorSchema,
  usedBy: Type.Array(Type.Object({ space: Type.String(), path: Type.String(), title: Type.String() }), {
    description: 'The first 20 pages that refer to it, of those that you can read, by space and path.',
  }),
  draft: Type.Optional(access.draftSchema),
})

/** Where the address of a new page or file redirected to until it was made. */
export const redirectEnded = Type.Optional(
  Type.Object(
    { space: Type.String(), path: Type.String() },
    { description: 'Where this address redirected to until now.' },
  ),
)

/** The file as a write leaves it, with what only that write knows. */
export const fileAfterWriteSchema = Type.Object({ ...fileSchema.properties, redirectEnded, ...access.proposalFields })
export type FileAfterWrite = Static<typeof fileAfterWriteSchema>

/** The form of an upload, for the document: its fields are read as they arrive. */
export const uploadFormSchema = Type.Object({
  folder: Type.Optional(Type.String({ description: 'The folder for all files. It precedes them.' })),
  path: Type.Optional(Type.String({ description: 'The whole path for the file that follows it.' })),
  file: Type.Array(Type.String({ format: 'binary' }), { description: 'The files, in fields of any name.' }),
})

export const uploadedFilesSchema = Type.Object({ files: Type.Array(fileSchema) })

export const fileVersionSchema = Type.Object({
  version: Type.Integer(),
  ...bytesFields,
  createdAt: access.timeSchema,
  createdBy: access.actorSchema,
  isLatest: Type.Boolean(),
})
