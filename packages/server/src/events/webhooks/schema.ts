import { type Static, Type } from 'typebox'
import { actorSchema, timeSchema } from '../../access/schema.ts'
import {
  enumSchema,
  line,
  nullable,
  optional,
  pagingParameters,
  strictObject,
  text,
} from '../../platform/http/schemas.ts'
import { attemptSchema } from '../../platform/outbound/attempt-record.ts'
import { EVENT_KINDS } from '../feed/event.ts'
import { WEBHOOK_FORMATS } from './chat-message.ts'

const url = text({
  minLength: 1,
  maxLength: 2048,
  description: 'The endpoint that receives deliveries: a public `https://` URL.',
})
const format = enumSchema(
  WEBHOOK_FORMATS,
  '`json`: signed JSON, for programs; `slack` and `teams`: a message for people, to an incoming webhook of a channel.',
)
const events = Type.Array(Type.Union([...EVENT_KINDS.map((kind) => Type.Literal(kind)), Type.Literal('*')]), {
  minItems: 1,
  maxItems: 32,
  description: 'Event kinds; `*` for all, including future ones.',
})
const spaceSlug = nullable(Type.String({ description: 'Only events of this space; null for all shared spaces.' }))
const description = nullable(line({ maxLength: 2000 }))

export const webhookSchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  url: Type.String(),
  format,
  events: Type.Array(Type.String()),
  spaceSlug,
  description: nullable(Type.String()),
  enabled: Type.Boolean(),
  disabledReason: nullable(
    Type.String({
      description:
        '`gone`: the receiver responded with 410. `failing`: all attempts failed for 5 days. Null: ' +
        'enabled, or disabled by an admin.',
    }),
  ),
  createdAt: timeSchema,
  createdBy: actorSchema,
  updatedAt: timeSchema,
})
export type Webhook = Static<typeof webhookSchema>

export const webhookWithSecretSchema = Type.Object({
  webhook: webhookSchema,
  secret: Type.String({ description: 'Signs the deliveries. It is not returned again.' }),
})
export type WebhookWithSecret = Static<typeof webhookWithSecretSchema>

export const webhookListSchema = Type.Object({
  items: Type.Array(webhookSchema),
  nextCursor: nullable(Type.String()),
  eventKinds: Type.Array(Type.String(), { description: 'The values that `events` accepts, besides `*`.' }),
})

export const createWebhookSchema = strictObject({
  url,
  format: Type.Optional(format),
  events,
  spaceSlug: Type.Optional(spaceSlug),
  description: Type.Optional(description),
})
export type CreateWebhook = Static<typeof createWebhookSchema>

export const updateWebhookSchema = strictObject(
  optional({ url, format, events, spaceSlug, description, enabled: Type.Boolean() }),
  { minProperties: 1 },
)
export type UpdateWebhook = Static<typeof updateWebhookSchema>

export const rotateSchema = strictObject({
  graceSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 604_800,
      description: 'How long the old secret signs as well; default: one day.',
    }),
  ),
})

const status = enumSchema(['pending', 'succeeded', 'failed', 'blocked'])

export const deliveryQuery = strictObject({
  ...pagingParameters,
  status: Type.Optional(status),
  event: Type.Optional(
    Type.Union([...EVENT_KINDS.map((kind) => Type.Literal(kind)), Type.Literal('webhook.test')], {
      description: 'Only deliveries of this event kind.',
    }),
  ),
})

export const deliverySchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  event: Type.String(),
  status,
  attempts: Type.Array(attemptSchema),
  createdAt: timeSchema,
  completedAt: nullable(timeSchema),
  nextAttemptAt: nullable(timeSchema, 'Null if there will be none, and while one is in progress.'),
  payload: Type.Unknown({ description: 'The event: the JSON body of the request, or what its message says.' }),
})
export type Delivery = Static<typeof deliverySchema>
export type DeliveryStatus = Delivery['status']

export const testResultSchema = Type.Object({ delivered: Type.Boolean(), delivery: deliverySchema })
