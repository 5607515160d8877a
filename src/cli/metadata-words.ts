import type { Filter } from '../client/types.ts'
import { parseJson } from '../lib/json.ts'
import { UsageError } from './command.ts'

type Comparison = Extract<Filter, { readonly value: unknown }>['op']

const SIGNS: Readonly<Record<string, Comparison>> = {
  '=': 'eq',
  '!=': 'neq',
  '<': 'lt',
  '<=': 'lte',
  '>': 'gt',
  '>=': 'gte',
  '~': 'contains',
}

/** A key and the text behind its first `=`. */
export function keyValue(word: string, what = 'a value'): [key: string, text: string] {
  const at = word.indexOf('=')
  if (at < 1) throw new UsageError(`${what} is given as key=value, not ${word}`)
  return [word.slice(0, at), word.slice(at + 1)]
}

/** A value as it was typed: JSON where it is JSON, else text. JSON that the service would refuse is refused here. */
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
      `${text.length > 100 ? 'a value' : text} cannot be kept: ${(error as Error).message}`,
    )
  }
}

/** A filter as it was typed: `status=review`, `due<2026-04-01`, `tags~howto`, `owner`, `!owner`. */
export function parseFilter(word: string): Filter {
  const found = /^([^=<>~!]+)(!=|<=|>=|=|<|>|~)(.*)$/s.exec(word)
  if (found) {
    const [, key = '', sign = '', text = ''] = found
    return { key, op: SIGNS[sign] ?? 'eq', value: typedValue(text) }
  }
  const missing = word.startsWith('!')
  const key = missing ? word.slice(1) : word
  if (key === '' || /[=<>~!]/.test(key)) {
    throw new UsageError(
      `${word} is no filter: write key=value, key<value, key~value, key or !key; or use --filters`,
    )
  }
  return { key, op: missing ? 'missing' : 'exists' }
}
