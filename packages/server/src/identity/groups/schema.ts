import { Type } from 'typebox'
import { actorSchema, timeSchema } from '../../access/schema.ts'
import {
  enumSchema,
  line,
  lines,
  nullable,
  optional,
  pagingParameters,
  strictObject,
  text,
} from '../../platform/http/schemas.ts'

const name = line({ minLength: 1, maxLength: 200 })
const description = lines({ maxLength: 2000 })

export const groupSchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  description: Type.String(),
  managedBy: nullable(Type.Literal('scim'), '`scim`: an identity provider keeps its name and members.'),
  memberCount: Type.Integer(),
  createdAt: timeSchema,
  updatedAt: timeSchema,
})

export const createGroupSchema = strictObject({ name, description: Type.Optional(description) })

export const updateGroupSchema = strictObject(optional({ name, description }), { minProperties: 1 })

export const groupQuery = strictObject({
  ...pagingParameters,
  name: Type.Optional(text({ minLength: 1, maxLength: 200, description: 'Part of the name, in whatever case.' })),
  member: Type.Optional(Type.String({ description: 'Only the groups of the principal with this id.' })),
})

export const groupMemberSchema = Type.Object({
  principal: actorSchema,
  source: enumSchema(
    ['admin', 'oidc', 'scim'],
    'Who added the member: an admin, a sign-in with OpenID Connect, or SCIM.',
  ),
  createdAt: timeSchema,
})

export const groupSpaceSchema = Type.Object({
  space: Type.String(),
  name: Type.String(),
  role: enumSchema(['viewer', 'editor', 'admin']),
})
