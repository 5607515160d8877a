import { AppError } from '@recto/contract/errors.ts'
import type { Static } from 'typebox'
import { createOwnKeySchema } from '../../identity/principals/admin-schema.ts'
import { checked, type Fields, readNumber, readText, readTexts } from './fields.ts'

const DAY_MS = 24 * 3600_000

/** The input that the fields of `keyForm` describe. */
export function readNewKey(fields: Fields, now: Date): Static<typeof createOwnKeySchema> {
  const spaces = readTexts(fields, 'spaces')
    .flatMap((text) => text.split(/[\s,]+/))
    .filter(Boolean)
  const days = readText(fields, 'days') === '' ? 0 : readNumber(fields, 'days')
  if (Number.isNaN(days)) throw new AppError('invalid_request', 'The number of days must be a whole number.')
  return checked(createOwnKeySchema, {
    name: readText(fields, 'keyName').trim(),
    scopes: [readText(fields, 'scope')],
    ...(spaces.length > 0 && { spaces }),
    ...(days > 0 && { expiresAt: new Date(now.getTime() + days * DAY_MS).toISOString() }),
  })
}
