import { Type } from 'typebox'
import { EVENT_KINDS, type EventKind } from '../feed/event.ts'
import { eventDetails, eventMembers, eventSubjects } from '../feed/schema.ts'

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

/** As signedHeaders (signature.ts) makes them. */
const HEADERS = [
  header('X-Svc-Event', 'The kind of the event.'),
  header('X-Svc-Delivery', 'Id of the delivery: the same in every attempt.'),
  header('X-Svc-Webhook', 'Id of the webhook.'),
  header('X-Svc-Attempt', 'Number of the attempt, from 1.'),
  header('X-Svc-Timestamp', 'When the attempt was made, in seconds since 1970.'),
  header('X-Svc-Signature', '`sha256=` and the HMAC-SHA256 of the body in hexadecimal digits.'),
  header('webhook-id', 'Id of the delivery, for Standard Webhooks.'),
  header('webhook-timestamp', 'The same as `X-Svc-Timestamp`.'),
  header('webhook-signature', 'Signatures of Standard Webhooks: `v1,` and base64, separated by a space.'),
]

/** The requests that receivers get, one for each kind of event, as the member `webhooks` of OpenAPI 3.1. */
export function webhookOperations(): Record<string, object> {
  return Object.fromEntries(EVENT_KINDS.map((kind) => [kind, { post: buildOperation(kind) }]))
}

function buildOperation(kind: EventKind): object {
  return {
    operationId: `on.${kind}`,
    tags: ['Webhooks'],
    summary: `Sent for ${kind}`,
    security: [],
    parameters: HEADERS,
    requestBody: { required: true, content: { 'application/json': { schema: bodySchema(kind) } } },
    responses: {
      '2XX': { description: 'The delivery succeeded.' },
      410: { description: 'The receiver is gone: the webhook is disabled.' },
      default: { description: 'The delivery failed; it is tried again.' },
    },
  }
}

function bodySchema(kind: EventKind): object {
  const [subject] = kind.split('.') as [keyof typeof eventSubjects] // every kind begins with one
  return Type.Object(
    {
      ...eventMembers,
      event: Type.Literal(kind),
      webhookId: Type.String({ format: 'uuid' }),
      deliveryId: Type.String({ format: 'uuid', description: 'The same in every attempt.' }),
      [subject]: eventSubjects[subject],
      ...(subject !== 'space' && eventDetails),
    },
    { additionalProperties: true },
  )
}
