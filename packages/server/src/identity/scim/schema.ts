import { Type } from 'typebox'
import { actorSchema, timeSchema } from '../../access/schema.ts'
import { nullable } from '../../platform/http/schemas.ts'

/** The state of SCIM. */
export const provisioningSchema = Type.Object({
  enabled: Type.Boolean(),
  baseUrl: Type.String({ description: 'The URL for the identity provider.' }),
  token: nullable(
    Type.Object({
      hint: Type.String({ description: 'The first characters of the token, to recognise it by.' }),
      createdAt: timeSchema,
      createdBy: actorSchema,
      lastUsedAt: nullable(timeSchema, 'Kept to the minute.'),
    }),
    'Null: SCIM is off.',
  ),
  principal: nullable(actorSchema, 'The agent that acts in the audit log; null until there is a first token.'),
  users: Type.Integer({ description: 'People whom the identity provider keeps.' }),
  groups: Type.Integer({ description: 'Groups that the identity provider keeps.' }),
})

export const createdTokenSchema = Type.Object({
  provisioning: provisioningSchema,
  secret: Type.String({ description: 'The token itself. Only this response contains it.' }),
})
