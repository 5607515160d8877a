import { Type } from 'typebox'
import { MAX_EMAIL_LENGTH } from '../access/email.ts'
import { text } from '../http/text.ts'

const strict = { additionalProperties: false } as const

export const orgRole = Type.Union([Type.Literal('admin'), Type.Literal('member')], {
  description: 'The role in the organisation.',
})
export const spaceRole = Type.Union([Type.Literal('viewer'), Type.Literal('editor'), Type.Literal('admin')])

const email = text({
  minLength: 1,
  maxLength: MAX_EMAIL_LENGTH,
  description: 'The new account signs in with it.',
})

export const createInvitationSchema = Type.Object(
  {
    email,
    role: Type.Optional(orgRole),
    spaces: Type.Optional(
      Type.Array(Type.Object({ space: Type.String({ maxLength: 64 }), role: spaceRole }, strict), {
        maxItems: 20,
        description: 'The roles that the new account gets in these spaces.',
      }),
    ),
    groups: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        maxItems: 20,
        description: 'Ids of the groups that the new account joins.',
      }),
    ),
  },
  strict,
)

export const inviteToSpaceSchema = Type.Object({ email, role: spaceRole }, strict)
