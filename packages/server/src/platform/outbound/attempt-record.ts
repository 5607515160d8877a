import { type Static, Type } from 'typebox'

const nullableString = (description: string) => Type.Union([Type.String({ description }), Type.Null()])

/** One attempt to deliver, as it is written to the log, and as the API and the screens show it. */
export const attemptSchema = Type.Object({
  at: Type.String({ format: 'date-time' }),
  durationMs: Type.Integer(),
  responseStatus: Type.Union([Type.Integer(), Type.Null()]),
  error: nullableString('Why there was no valid response: a stable code, and the system’s error code in brackets.'),
  responseBody: nullableString('The first KiB of the response.'),
})
export type AttemptRecord = Readonly<Static<typeof attemptSchema>>

/** The members of the first release, which every row has. */
type FirstMember = 'at' | 'durationMs' | 'responseStatus' | 'error' | 'responseBody'

/** An attempt as any release may have written it to `webhook_delivery.attempts`: an older one has no later member. */
export type StoredAttempt = Pick<AttemptRecord, FirstMember> & Partial<Omit<AttemptRecord, FirstMember>>

/** The attempt with a value for each member; one that older rows lack needs its default here. */
export function toAttemptRecord(stored: StoredAttempt): AttemptRecord {
  const { at, durationMs, responseStatus, error, responseBody } = stored
  return { at, durationMs, responseStatus, error, responseBody }
}
