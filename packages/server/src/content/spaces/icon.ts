import { inputError } from '@recto/contract/errors.ts'
import { parseEmoji } from '@recto/lib/text/emoji.ts'

/** An icon as it is stored, null for none; throws unless it is one emoji. */
export function checkedIcon(iconInput: string | null | undefined): string | null {
  if (iconInput === undefined || iconInput === null) return null
  const icon = parseEmoji(iconInput)
  if (icon !== undefined) return icon
  throw inputError('invalid_request', 'The icon must be one emoji.', '/icon', 'must be one emoji')
}
