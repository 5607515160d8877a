import { Type } from 'typebox'
import { actorSchema, timeSchema } from '../../access/schema.ts'
import { enumSchema, line, nullable, strictObject, text } from '../../platform/http/schemas.ts'
import { MAX_EMAIL_LENGTH } from '../principals/email.ts'

const orgRole = enumSchema(['admin', 'member'], 'The role in the organisation.')
const guest = Type.Optional(
  Type.Boolean({
    description: 'Whether the new account is that of a guest, with access to these spaces and folders alone.',
  }),
)
const spaceRole = enumSchema(['viewer', 'editor', 'admin'])
const folder = Type.Optional(
  text({
    minLength: 1,
    maxLength: 1024,
    description: 'For guests: the path of the only folder of the space where they get access, by its folder rule.',
  }),
)

const email = text({ minLength: 1, maxLength: MAX_EMAIL_LENGTH, description: 'The new account signs in with it.' })

export const createInvitationSchema = strictObject({
  email,
  role: Type.Optional(orgRole),
  guest,
  spaces: Type.Optional(
    Type.Array(strictObject({ space: Type.String({ maxLength: 64 }), role: spaceRole, folder }), {
      maxItems: 20,
      description: 'The roles that the new account gets in these spaces, or in folders of them.',
    }),
  ),
  groups: Type.Optional(
    Type.Array(Type.String({ maxLength: 64 }), {
      maxItems: 20,
      description: 'Ids of the groups that the new account joins.',
    }),
  ),
})

export const inviteToSpaceSchema = strictObject({ email, role: spaceRole, guest, folder })

export const invitationSchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  email: Type.String(),
  role: orgRole,
  guest: Type.Boolean(),
  spaces: Type.Array(Type.Object({ space: Type.String(), role: spaceRole, folder })),
  groups: Type.Array(Type.Object({ id: Type.String({ format: 'uuid' }), name: Type.String() })),
  invitedBy: actorSchema,
  createdAt: timeSchema,
  expiresAt: timeSchema,
  expired: Type.Boolean(),
  hasAccount: Type.Optional(
    Type.Boolean({
      description: 'In lists: whether somebody with this e-mail address has an account. Make them a member instead.',
    }),
  ),
})

export const sentSchema = Type.Object({
  invitation: invitationSchema,
  url: Type.String({ description: 'The link, which works once. It is shown this once.' }),
  mailed: Type.Boolean({ description: 'Whether the link was sent to the e-mail address.' }),
})

export const sessionSchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  current: Type.Boolean({ description: 'Whether this request came with it.' }),
  // Null: an older release opened it.
  address: nullable(Type.String(), 'The IP address where it was opened.'),
  userAgent: nullable(Type.String()),
  apiKey: nullable(
    Type.String({ format: 'uuid' }),
    'Id of the key that opened it; null: a password or an identity provider did.',
  ),
  createdAt: timeSchema,
  lastSeenAt: timeSchema,
  expiresAt: timeSchema,
})

export const mergeSchema = strictObject({
  into: text({
    minLength: 1,
    maxLength: MAX_EMAIL_LENGTH,
    description: 'Id or e-mail address of the account that remains.',
  }),
})

export const linkSchema = Type.Object({
  url: Type.String({ description: 'Works once. It is shown this once.' }),
  expiresAt: timeSchema,
})

export const passkeyName = line({ minLength: 1, maxLength: 100 })

export const passkeySchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  createdAt: timeSchema,
  lastUsedAt: nullable(timeSchema),
})
