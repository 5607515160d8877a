import { type Static, Type } from 'typebox'
import { actorSchema, timeSchema } from '../../../access/schema.ts'
import { enumSchema, line, nullable, strictObject, text } from '../../../platform/http/schemas.ts'

const path = text({ minLength: 1, maxLength: 1024, description: 'Of a page or file; absent: the space.' })

export const askSchema = strictObject({
  space: Type.String({ maxLength: 64, description: 'Slug of the space.' }),
  path: Type.Optional(path),
  note: Type.Optional(line({ maxLength: 500, description: 'What the admins of the space should know.' })),
})
export type Ask = Static<typeof askSchema>

export const askedSchema = Type.Object({ message: Type.String({ description: 'The same in every response.' }) })

export const accessRequestSchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  principal: actorSchema,
  guest: Type.Boolean(),
  path: nullable(Type.String(), 'Of a page or file; null: the space.'),
  folder: nullable(Type.String(), 'The folder whose rule hides it; null: no rule does.'),
  note: Type.String(),
  createdAt: timeSchema,
})
export type AccessRequest = Static<typeof accessRequestSchema>

export const approveSchema = strictObject({
  role: enumSchema(['viewer', 'editor', 'admin']),
  folder: Type.Optional(
    text({
      minLength: 1,
      maxLength: 1024,
      description: 'The path of the only folder where they get access, by its folder rule; absent: in the space.',
    }),
  ),
})
export type Approval = Static<typeof approveSchema>
