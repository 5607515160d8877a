import { Type } from 'typebox'
import { actorSchema, proposalFields, timeSchema, writtenPathSchema } from '../../access/schema.ts'
import { enumSchema, nullable, strictObject } from '../../platform/http/schemas.ts'
import { fileSchema } from '../files/schema.ts'
import { addressSchema, pageSchema } from '../pages/schema.ts'
import { opensSchema } from '../spaces/schema.ts'

const deletionFields = {
  deletedAt: timeSchema,
  deletedBy: actorSchema,
  expiresAt: nullable(timeSchema, 'The earliest time of its permanent deletion; null: it is kept.'),
}

export const trashedPageSchema = Type.Object({
  ...Type.Pick(pageSchema, ['space', 'path', 'title', 'version', 'createdAt', 'createdBy', 'updatedAt', 'updatedBy'])
    .properties,
  ...deletionFields,
  restorable: Type.Boolean({
    description:
      'Whether restoring its address restores this page: there is no page, and none was deleted there since.',
  }),
})

export const trashedFileSchema = Type.Object({
  ...Type.Omit(fileSchema, ['url', 'etag', 'usedBy']).properties,
  ...deletionFields,
  restorable: Type.Boolean({
    description:
      'Whether restoring the address restores this file: there is no file, and none was deleted there since.',
  }),
})

const moveFields = {
  to: strictObject({
    space: Type.Optional(Type.String({ description: 'Slug of the target space; the current space if absent.' })),
    path: writtenPathSchema,
  }),
  rewriteLinks: Type.Optional(
    Type.Boolean({
      default: true,
      description:
        'Update links in the pages that link here and that you may edit, as new revisions. ' +
        '`false` leaves their links as they are.',
    }),
  ),
  dryRun: Type.Optional(Type.Boolean({ description: 'Only return what would be changed.' })),
}

export const moveFileSchema = strictObject(moveFields)

export const movePageSchema = strictObject({
  ...moveFields,
  withChildren: Type.Optional(Type.Boolean({ description: 'Also move all pages and files below it.' })),
})

const folderPath = { ...writtenPathSchema, description: 'Path of the folder, without a slash at the end.' }

export const moveFolderSchema = strictObject({ path: folderPath, ...moveFields })

export const deleteFolderSchema = strictObject({ path: folderPath, dryRun: moveFields.dryRun })

export const folderDeletionSchema = Type.Object({
  dryRun: Type.Boolean(),
  deleted: Type.Array(Type.Object({ ...addressSchema.properties, title: Type.String(), version: Type.Integer() })),
  files: Type.Array(Type.Object({ ...addressSchema.properties, version: Type.Integer() }), {
    description: 'The files below the path.',
  }),
})

export const moveOutcomeSchema = Type.Object({
  ...proposalFields,
  dryRun: Type.Boolean(),
  // At its new address; null in a dry run, and for a folder without a page of its own.
  page: nullable(pageSchema),
  moved: Type.Array(
    Type.Object({ from: addressSchema, to: addressSchema, title: Type.String(), version: Type.Integer() }),
  ),
  files: Type.Array(Type.Object({ from: addressSchema, to: addressSchema, version: Type.Integer() }), {
    description: 'The files below the path, which move with its pages.',
  }),
  // Pages with a new revision, by their new address.
  rewritten: Type.Array(
    Type.Object({
      ...addressSchema.properties,
      links: Type.Array(Type.Object({ line: Type.Integer(), from: Type.String(), to: Type.String() })),
    }),
  ),
  // Links that keep the old address.
  left: Type.Array(
    Type.Object({
      ...addressSchema.properties,
      line: nullable(Type.Integer()),
      href: nullable(Type.String()),
      reason: enumSchema(['forbidden', 'review_required', 'hidden', 'not_found_in_source', 'too_large']),
    }),
  ),
  opens: opensSchema,
  closes: nullable(
    Type.Object({ people: Type.Integer({ description: 'People and agents who can read it now.' }) }),
    'From how many the move takes what they can read; null: from nobody.',
  ),
  redirectsEnded: Type.Optional(
    Type.Array(Type.Object({ from: addressSchema, to: addressSchema }), {
      description: 'Redirects at the new addresses, which end; links by them are in `rewritten` and `left`.',
    }),
  ),
  // Why it is not possible; a move with errors changes nothing.
  refusals: Type.Array(
    Type.Object({
      code: enumSchema(['page_exists', 'file_exists', 'invalid_path']),
      ...addressSchema.properties,
      detail: Type.String(),
      localDetail: Type.Optional(
        Type.String({ description: 'For scripts of a browser: the detail in the language of the person.' }),
      ),
    }),
  ),
})

export const movedFileSchema = Type.Object({
  ...fileSchema.properties,
  ...Type.Pick(moveOutcomeSchema, ['dryRun', 'rewritten', 'left', 'opens', 'closes', 'redirectsEnded']).properties,
  ...proposalFields,
})
