import { Type } from 'typebox'
import { actorSchema, timeSchema } from '../access/schema.ts'

/** The state of SCIM. */
export const provisioningSchema = Type.Object({
  enabled: Type.Boolean(),
  baseUrl: Type.String({ description: 'The URL for the identity provider.' }),
  token: Type.Union(
    [
      Type.Object({
        hint: Type.String({ description: 'The first characters of the token, to recognise it by.' }),
        createdAt: timeSchema,
        createdBy: actorSchema,
        lastUsedAt: Type.Union([timeSchema, Type.Null()], { description: 'Kept to the minute.' }),
      }),
      Type.Null(),
    ],
    { description: 'Null: SCIM is off.' },
  ),
  principal: Type.Union([actorSchema, Type.Null()], {
    description: 'The agent that acts in the audit log; null until there is a first token.',
  }),
  users: Type.Integer({ description: 'People whom the identity provider keeps.' }),
  groups: Type.Integer({ description: 'Groups that the identity provider keeps.' }),
})
