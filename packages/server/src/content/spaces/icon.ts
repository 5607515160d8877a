import { inputError } from '../../../../contract/src/errors.ts'
import { parseEmoji } from '../../../../lib/src/text/emoji.ts'

/** An icon as it is stored, null for none; throws unless it is one emoji. */
export function checkedIcon(given: string | null | undefined): string | null {
  if (given === undefined || given === null) return null
  const icon = parseEmoji(given)
  if (icon !== undefined) return icon
  throw inputError('invalid_request', 'The icon must be one emoji.', '/icon', 'must be one emoji')
}
