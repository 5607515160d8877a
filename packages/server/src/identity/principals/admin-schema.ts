import { Type } from 'typebox'
import { SCOPES } from '../../access/caller.ts'
import { actorSchema, timeSchema } from '../../access/schema.ts'
import {
  anyObject,
  enumSchema,
  line,
  nullable,
  optional,
  pagingParameters,
  strictObject,
  text,
} from '../../platform/http/schemas.ts'
import { MAX_EMAIL_LENGTH } from './email.ts'

const kind = enumSchema(['human', 'agent'])
const role = enumSchema(['admin', 'member'], 'The role in the organisation.')
const scope = enumSchema(SCOPES)
const GUEST = 'Whether only the spaces and folders that name the person are theirs.'
const guest = Type.Optional(Type.Boolean({ description: GUEST }))
const name = line({ minLength: 1, maxLength: 200 })
const email = Type.Optional(
  nullable(
    text({ minLength: 1, maxLength: MAX_EMAIL_LENGTH }),
    'The e-mail address of a person, to sign in with a password; in lower case, unique.',
  ),
)
const optionalTime = nullable(timeSchema)

export const principalSchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  kind,
  role,
  guest: Type.Boolean({ description: GUEST }),
  email: nullable(Type.String()),
  disabled: Type.Boolean(),
  disabledAt: optionalTime,
  createdAt: timeSchema,
})

export const createPrincipalSchema = strictObject({ name, kind, role: Type.Optional(role), guest, email })

export const updatePrincipalSchema = strictObject(
  {
    ...optional({ name, role }),
    guest,
    email,
    disabled: Type.Optional(Type.Boolean({ description: 'Whether its keys and sessions are rejected, on all nodes.' })),
  },
  { minProperties: 1 },
)

export const principalQuery = strictObject({
  ...pagingParameters,
  kind: Type.Optional(kind),
  role: Type.Optional(role),
  guest: Type.Optional(Type.Boolean({ description: 'Only guests, or only others.' })),
  disabled: Type.Optional(Type.Boolean()),
  name: Type.Optional(
    text({ minLength: 1, maxLength: 200, description: 'Part of the name; letter case does not count.' }),
  ),
})

export const apiKeySchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  hint: Type.String({ description: 'The first characters of the key, to recognise it by.' }),
  principal: actorSchema,
  scopes: Type.Array(scope),
  spaces: nullable(
    Type.Array(Type.String()),
    'Slugs of the only spaces that it gives access to; null: all spaces of its principal.',
  ),
  expiresAt: optionalTime,
  lastUsedAt: nullable(timeSchema, 'Kept to the minute.'),
  revokedAt: optionalTime,
  createdAt: timeSchema,
  createdBy: actorSchema,
})

export const createdKeySchema = Type.Object({
  apiKey: apiKeySchema,
  secret: Type.String({ description: 'The key itself. Only this response contains it.' }),
})

const newKey = {
  name,
  scopes: Type.Array(scope, { minItems: 1, maxItems: SCOPES.length, description: 'Each includes the ones before it.' }),
  spaces: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      minItems: 1,
      maxItems: 200,
      description: 'Slugs of the only spaces that the key gives access to; `personal` is its principal’s own.',
    }),
  ),
  expiresAt: Type.Optional(Type.String({ description: 'RFC 3339, in the future.' })),
}

export const createOwnKeySchema = strictObject(newKey)

export const createKeySchema = strictObject({
  principal: Type.String({ description: 'Id of the principal that the key is for.' }),
  ...newKey,
})

const revokedToo = {
  includeRevoked: Type.Optional(Type.Boolean({ description: 'Whether revoked keys are listed too.' })),
}
export const ownKeyQuery = strictObject({ ...pagingParameters, ...revokedToo })
export const keyQuery = strictObject({ ...pagingParameters, ...revokedToo, principal: Type.Optional(Type.String()) })

export const auditEntrySchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  createdAt: timeSchema,
  action: Type.String({ description: 'What was done, such as `api_key.revoked`.' }),
  actor: nullable(actorSchema, 'The actor; null: nobody was authenticated.'),
  target: Type.Object({ type: Type.String(), id: Type.String(), name: Type.String() }),
  details: anyObject(),
  address: nullable(Type.String(), 'Where the request came from.'),
})

export const auditQuery = strictObject({
  ...pagingParameters,
  actor: Type.Optional(Type.String({ description: 'Id of a principal.' })),
  action: Type.Optional(text({ maxLength: 100 })),
  target: Type.Optional(text({ maxLength: 200, description: 'Id of the target; of a space its slug.' })),
  since: Type.Optional(Type.String({ description: 'RFC 3339; this instant or later.' })),
  until: Type.Optional(Type.String({ description: 'RFC 3339; before this instant.' })),
})
