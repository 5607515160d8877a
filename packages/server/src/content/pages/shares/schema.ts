import { type Static, Type } from 'typebox'
import { actorSchema, timeSchema } from '../../../access/schema.ts'
import { enumSchema, nullable, strictObject, text } from '../../../platform/http/schemas.ts'

export const createShareSchema = strictObject({
  withChildren: Type.Optional(Type.Boolean({ description: 'Whether the pages below are shown, too.' })),
  expiresAt: Type.Optional(Type.String({ description: 'When the link ends; absent: never.' })),
  password: Type.Optional(
    text({ maxLength: 4096, description: 'What readers have to enter: at least 12 characters.' }),
  ),
})
export type CreateShare = Static<typeof createShareSchema>

export const shareSchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  space: Type.String(),
  path: Type.String({ description: 'Of the page, as it is now.' }),
  title: Type.String({ description: 'Of the page.' }),
  withChildren: Type.Boolean(),
  createdAt: timeSchema,
  createdBy: actorSchema,
  expiresAt: nullable(timeSchema),
  hasPassword: Type.Boolean(),
  opens: Type.Integer({ description: 'How often it was opened: once for each visit.' }),
  lastOpenedAt: nullable(timeSchema),
  state: enumSchema(
    ['active', 'revoked', 'expired', 'trashed', 'off', 'no-access'],
    '`trashed`: the page is in the trash. `off`: the space or the installation allows no share links. `no-access`: ' +
      'who made it can no longer read the page.',
  ),
})
export type Share = Static<typeof shareSchema>

export const createdShareSchema = Type.Object({
  ...shareSchema.properties,
  url: Type.String({ description: 'The link with its secret, which only this response contains.' }),
})
