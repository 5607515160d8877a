import { FILTER_OP_NAMES, FILTER_OPS, hasOperand } from '../metadata/filter-ops.ts'

/** The operators with an operand by their signs, the longest sign first: `<=` is not `<`. */
const OP_BY_SIGN = new Map(
  FILTER_OP_NAMES.filter(hasOperand)
    .map((op) => [FILTER_OPS[op].sign as string, op] as const)
    .sort(([a], [b]) => b.length - a.length),
)
const SIGNS = [...OP_BY_SIGN.keys()] // no sign has a character that is special in a regular expression
const COMPARISON = new RegExp(`^([^=<>~!]+)(${SIGNS.join('|')})(.*)$`, 's')

/** How filters are typed, for help. */
export const FILTER_SYNTAX = `A filter is ${SIGNS.toReversed()
  .map((sign) => `key${sign}value`)
  .join(
    ', ',
  )}, key (is set) or !key (is not set). ${FILTER_OPS.contains.sign} finds ${FILTER_OPS.contains.meaning}. Pages must meet all filters.`

/** A comparison as it was typed, such as `due<2026-04-01`; undefined: it has no sign after a key. */
export function parseComparison(word: string) {
  const [, key = '', sign = '', operand = ''] = COMPARISON.exec(word) ?? []
  const op = OP_BY_SIGN.get(sign)
  return op && { key, op, operand }
}
