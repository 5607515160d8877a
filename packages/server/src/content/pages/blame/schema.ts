import { type Static, Type } from 'typebox'
import { actorSchema, timeSchema } from '../../../access/schema.ts'
import { nullable } from '../../../platform/http/schemas.ts'
import { revisionSchema } from '../schema.ts'

const { changeRequest, mergedBy, authors } = revisionSchema.properties

export const blameSchema = Type.Object({
  version: Type.Integer(),
  oldest: nullable(
    Type.Integer(),
    'Lines without a version are older than this one: so many versions were compared. Null: all have one.',
  ),
  truncated: Type.Boolean({ description: 'Whether further lines follow.' }),
  lines: Type.Array(
    Type.Object({
      from: Type.Integer({ description: 'The first of lines in a row that one version changed last, from 1.' }),
      to: Type.Integer(),
      version: nullable(Type.Integer()),
      by: Type.Optional(actorSchema),
      at: Type.Optional(timeSchema),
      changeRequest,
      mergedBy,
      authors,
    }),
  ),
})
export type BlamedPage = Static<typeof blameSchema>
