import type { Static } from 'typebox'
import { createOwnKeySchema } from '../access/admin-schema.ts'
import { checked, type Fields, textOf } from './screen.ts'

const DAY_MS = 24 * 3600_000

/** What the fields of `keyForm` say. */
export function newKeyOf(fields: Fields, now: Date): Static<typeof createOwnKeySchema> {
  const spaces = textOf(fields, 'spaces')
    .split(/[\s,]+/)
    .filter(Boolean)
  const days = Number(textOf(fields, 'days'))
  return checked(createOwnKeySchema, {
    name: textOf(fields, 'keyName').trim(),
    scopes: [textOf(fields, 'scope')],
    ...(spaces.length > 0 && { spaces }),
    ...(days > 0 && { expiresAt: new Date(now.getTime() + days * DAY_MS).toISOString() }),
  })
}
