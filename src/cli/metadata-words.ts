import type { Filter } from '../client/types.ts'
import { parseJson } from '../lib/json.ts'
import { UsageError } from './command.ts'
import { parseComparison } from './filter-syntax.ts'

/** Splits `key=value` at the first `=`. */
export function keyValue(word: string, what = 'a value'): [key: string, text: string] {
  const at = word.indexOf('=')
  if (at < 1) throw new UsageError(`${what} must be key=value, not ${word}`)
  return [word.slice(0, at), word.slice(at + 1)]
}

/** Parses a value: JSON if it is valid JSON, else text. Throws for JSON that the service rejects, such as duplicate keys. */
export function typedValue(text: string): unknown {
  try {
    JSON.parse(text)
  } catch {
    return text
  }
  try {
    return parseJson(text)
  } catch (error) {
    throw new UsageError(
      `${text.length > 100 ? 'a value' : text} cannot be stored: ${(error as Error).message}`,
    )
  }
}

/** Parses a filter: `status=review`, `due<2026-04-01`, `tags~howto`, `owner`, `!owner`. */
export function parseFilter(word: string): Filter {
  const found = parseComparison(word)
  if (found) return { key: found.key, op: found.op, value: typedValue(found.operand) }
  const missing = word.startsWith('!')
  const key = missing ? word.slice(1) : word
  if (key === '' || /[=<>~!]/.test(key)) {
    throw new UsageError(
      `${word} is not a filter: write key=value, key<value, key~value, key or !key; or use --filters`,
    )
  }
  return { key, op: missing ? 'missing' : 'exists' }
}
