import type { Filter } from '@recto/client/types.ts'
import { parseName, parseOperand } from '@recto/contract/filter-ops.ts'
import { parseJson } from '@recto/lib/json/json.ts'
import { UsageError } from '../command.ts'
import { FILTER_FORMS, type SplitFilter, splitFilter } from './filter-syntax.ts'

/** Splits `key=value` at the first `=`. */
export function keyValue(word: string, what = 'a value'): [key: string, text: string] {
  const at = word.indexOf('=')
  if (at < 1) throw new UsageError(`${what} must be key=value, not ${word}`)
  return [word.slice(0, at), word.slice(at + 1)]
}

/** Parses a value: valid JSON, else text. Throws for JSON that the service rejects, such as duplicate keys. */
export function typedValue(text: string): unknown {
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  try {
    return parseJson(text)
  } catch (error) {
    throw new UsageError(`${text.length > 100 ? 'a value' : text} cannot be stored: ${(error as Error).message}`)
  }
}

/** Parses a filter: `status=review`, `due<2026-04-01`, `tags~howto`, `owner`, `!owner`. */
export function parseFilter(word: string): Filter {
  const filterParts = splitFilter(word)
  if (!filterParts) throw new UsageError(`${word} is not a filter: write ${FILTER_FORMS}; or use --filters`)
  rejectTypos(word, filterParts)
  const { key, op } = filterParts
  const operand = 'operand' in filterParts && { value: parseOperand(op, filterParts.operand, typedValue) }
  return { ...parseName(key), op, ...operand } as Filter // the service rejects operators that do not fit
}

/** Rejects what other languages write, such as `a==1` and `a = 1`: as a value or a key it would find nothing. */
function rejectTypos(word: string, { key, operand = '' }: SplitFilter): void {
  if (key.trim() !== key) throw new UsageError(`${word} has a space beside its key: write it without, or use --filters`)
  if (!/^[=<>~]/.test(operand)) return
  const [operator] = /[=<>!~]+/.exec(word) ?? []
  throw new UsageError(
    `${word} has an unknown operator, ${operator}: write ${FILTER_FORMS}; or use --filters for a value that begins so`,
  )
}
