import type { Static } from 'typebox'
import { AppError } from '../../../../contract/src/errors.ts'
import { createOwnKeySchema } from '../../identity/principals/admin-schema.ts'
import { checked, type Fields, numberOf, textOf, textsOf } from './fields.ts'

const DAY_MS = 24 * 3600_000

/** The input that the fields of `keyForm` describe. */
export function newKeyOf(fields: Fields, now: Date): Static<typeof createOwnKeySchema> {
  const spaces = textsOf(fields, 'spaces')
    .flatMap((text) => text.split(/[\s,]+/))
    .filter(Boolean)
  const days = textOf(fields, 'days') === '' ? 0 : numberOf(fields, 'days')
  if (Number.isNaN(days)) throw new AppError('invalid_request', 'The number of days must be a whole number.')
  return checked(createOwnKeySchema, {
    name: textOf(fields, 'keyName').trim(),
    scopes: [textOf(fields, 'scope')],
    ...(spaces.length > 0 && { spaces }),
    ...(days > 0 && { expiresAt: new Date(now.getTime() + days * DAY_MS).toISOString() }),
  })
}
