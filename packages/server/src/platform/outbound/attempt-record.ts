import { type Static, Type } from 'typebox'

const nullableString = (description: string) => Type.Union([Type.String({ description }), Type.Null()])

/** One attempt to deliver: the only definition of its shape in the log (`webhook_delivery.attempts`), the API and the screens. */
export const attemptSchema = Type.Object({
  at: Type.String({ format: 'date-time' }),
  durationMs: Type.Integer(),
  responseStatus: Type.Union([Type.Integer(), Type.Null()]),
  error: nullableString(
    'Why there was no valid response: a stable code, and the system’s error code in brackets.',
  ),
  responseBody: nullableString('The first KiB of the response.'),
})
export type AttemptRecord = Readonly<Static<typeof attemptSchema>>
