import { type Filter, parse } from 'scim2-parse-filter'
import type { ScimType } from '../../platform/http/problems/scim-error.ts'
import { scimError } from './protocol.ts'

const MAX_FILTER_LENGTH = 1000
/** The tokeniser takes exponential time for line ends in an open string. */
const CONTROLS = /\p{Cc}/u

/** The syntax tree of a filter (RFC 7644, 3.4.2.2), or of the path of a patch. */
export function parseFilter(text: string, scimType: ScimType = 'invalidFilter'): Filter {
  if (text.length > MAX_FILTER_LENGTH || CONTROLS.test(text)) {
    throw scimError(scimType, `A filter has at most ${MAX_FILTER_LENGTH} characters, and no control characters.`)
  }
  try {
    return parse(text)
  } catch (error) {
    throw scimError(scimType, `The filter is not valid: ${error instanceof Error ? error.message : ''}`)
  }
}
