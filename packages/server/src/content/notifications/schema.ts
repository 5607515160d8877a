import { type Static, Type } from 'typebox'
import { actorSchema, timeSchema } from '../../access/schema.ts'
import { EVENT_KINDS } from '../../events/feed/event.ts'
import { enumSchema, nullable, strictObject, uuidSchema } from '../../platform/http/schemas.ts'
import { DUE, REASONS } from './store-fan-out.ts'
import { MAIL_MODES } from './store-mail.ts'

const subjectFields = {
  space: Type.String({ description: 'Slug of the space; `personal` is your own.' }),
  path: Type.Optional(Type.String({ description: 'Where it is now; of a thread, of what it is about.' })),
  number: Type.Optional(Type.Integer({ description: 'Of the change request, or of that which a thread is about.' })),
  thread: Type.Optional(Type.String({ format: 'uuid' })),
}
const title = Type.String({
  description: 'Of the page or change request, or the name of the file; of a thread, of what it is about.',
})

export const notificationSchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  subject: Type.Object({ kind: enumSchema(['page', 'file', 'thread', 'changeRequest']), ...subjectFields }),
  title,
  url: Type.String(),
  reason: enumSchema(
    [...new Set(REASONS)],
    'Why you are told: you are mentioned; you are asked to review, or did; you wrote it; ' +
      'you take part in the thread; you watch it, its folder or its space; you verified it, and that has ended.',
  ),
  kind: enumSchema(
    [...EVENT_KINDS, DUE],
    'The kind of the last event; `verification.due`: the verification of a page has ended.',
  ),
  actor: { ...actorSchema, description: 'Who did the last of it.' },
  events: Type.Integer({ description: 'How many events it tells of, since it was read before.' }),
  at: timeSchema,
  readAt: nullable(timeSchema),
})
export type Notification = Static<typeof notificationSchema>

export const unreadSchema = Type.Object({
  unread: Type.Integer({ description: 'Unread notifications; 100 means 100 or more.' }),
})

export const markSchema = strictObject({
  read: Type.Boolean(),
  ids: Type.Optional(Type.Array(uuidSchema, { minItems: 1, maxItems: 200 })),
  all: Type.Optional(Type.Literal(true)),
  before: Type.Optional(
    Type.String({ maxLength: 40, description: 'A time (RFC 3339): what came later stays as it is.' }),
  ),
})
export type MarkNotifications = Static<typeof markSchema>

export const mailSettingsSchema = strictObject({
  mail: enumSchema(
    MAIL_MODES,
    'When you are mailed of what you have not read: within seconds, one mail a day at 07:00 UTC, or never.',
  ),
})
export type MailSettings = Static<typeof mailSettingsSchema>

export const watchSchema = Type.Object({
  subject: Type.Object({ kind: enumSchema(['page', 'file', 'thread', 'folder', 'space']), ...subjectFields }),
  title,
  muted: Type.Boolean({ description: 'Whether you are not told of it, but where you are mentioned.' }),
  createdAt: timeSchema,
})
export type Watch = Static<typeof watchSchema>

export const WATCHED_KINDS = ['page', 'file', 'folder'] as const
export const watchQuery = strictObject({
  kind: Type.Optional(
    enumSchema(
      WATCHED_KINDS,
      'What is meant by the path, where it can be several things: else the page there, the file, or the folder, ' +
        'in this order.',
    ),
  ),
})
