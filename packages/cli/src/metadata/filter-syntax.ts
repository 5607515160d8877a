import { FILTER_OP_NAMES, FILTER_OPS, type FilterOp, hasOperand, PAGE_FIELD_NAMES } from '@recto/contract/filter-ops.ts'

/** The operators with an operand by their signs, the longest sign first: `<=` is not `<`. */
const OP_BY_SIGN = new Map(
  FILTER_OP_NAMES.filter(hasOperand)
    .map((op) => [FILTER_OPS[op].sign as string, op] as const)
    .sort(([a], [b]) => b.length - a.length),
)
const SIGNS = [...OP_BY_SIGN.keys()]
const SIGN_PATTERNS = SIGNS.map((sign) => sign.replace('^', '\\^')) // no other character of a sign is special
const { contains, exists, missing, in: oneOf } = FILTER_OPS
const KEY = `[^${SIGN_PATTERNS.join('')}${missing.sign}]+`
const COMPARISON = new RegExp(`^(${KEY})(${SIGN_PATTERNS.join('|')})(.*)$`, 's')
const PRESENCE = new RegExp(`^(${missing.sign}?)(${KEY})$`)
const COMPARISONS = SIGNS.toReversed()
  .map((sign) => `key${sign}value`)
  .join(', ')

export const FILTER_FORMS = `${COMPARISONS}, key or ${missing.sign}key`
/** How filters are typed, for help. */
export const FILTER_SYNTAX =
  `A filter is ${COMPARISONS}, key (${exists.label}) ` +
  `or ${missing.sign}key (${missing.label}). ${contains.sign} finds ${contains.meaning}. ` +
  `${oneOf.sign} takes values with commas between them. Dates may be relative: today+90d, now-12h. ` +
  `$${PAGE_FIELD_NAMES.join(', $')} are of the page itself. Pages must meet all filters.`

/** The parts of a filter; the operand as text. */
export interface SplitFilter {
  readonly key: string
  readonly op: FilterOp
  readonly operand?: string
}

/** A filter as it was typed, such as `due<2026-04-01`, `owner` or `!owner`; its operand is text. */
export function splitFilter(word: string) {
  const [, key = '', sign = '', operand = ''] = COMPARISON.exec(word) ?? []
  const op = OP_BY_SIGN.get(sign)
  if (op) return { key, op, operand }
  const [, mark, alone] = PRESENCE.exec(word) ?? []
  return alone === undefined ? undefined : ({ key: alone, op: mark ? 'missing' : 'exists' } as const)
}
