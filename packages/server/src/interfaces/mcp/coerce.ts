import { exactNumber, isJsonObject, parseJson, tryParseJson } from '@recto/lib/json/json.ts'

/**
 * Coerces an argument to the type of the schema: a number, a boolean, a list or an object that was sent as text, a text
 * that was sent as a number, and one object instead of a list of one. A member is absent if it is null, or an empty
 * text where the schema does not accept one: some clients send all optional arguments. Other values are unchanged, so
 * that the validator reports them.
 */
export function coerced(schema: unknown, value: unknown): unknown {
  if (!isJsonObject(schema)) return value
  const { type, items, properties, required } = schema
  const coercedValue = coerceValue(type, items, value)
  if (Array.isArray(coercedValue)) return coercedValue.map((item) => coerced(items, item))
  if (!isJsonObject(coercedValue) || !isJsonObject(properties)) return coercedValue
  return Object.fromEntries(
    Object.entries(coercedValue).flatMap(([name, member]) => {
      const own = Object.hasOwn(properties, name) ? properties[name] : undefined
      const isNeeded = Array.isArray(required) && required.includes(name)
      return !isNeeded && isAbsent(own, member) ? [] : [[name, coerced(own, member)]]
    }),
  )
}

/** Any value of a member without a type counts, null too. */
function isAbsent(schema: unknown, value: unknown): boolean {
  if (!isJsonObject(schema)) return false
  return value === null
    ? schema.type !== undefined || schema.anyOf !== undefined
    : value === '' && !acceptsEmptyText(schema)
}

function acceptsEmptyText(schema: unknown): boolean {
  if (!isJsonObject(schema)) return true
  const { type, anyOf, enum: words, const: word, minLength } = schema
  if (Array.isArray(anyOf)) return anyOf.some(acceptsEmptyText)
  if (Array.isArray(words)) return words.includes('')
  if (word !== undefined) return word === ''
  return type === undefined || (type === 'string' && !(Number(minLength) > 0))
}

function coerceValue(type: unknown, items: unknown, value: unknown): unknown {
  const coercedValue = typeof value === 'string' ? fromText(type, items, value) : value
  if (type === 'string' && (typeof coercedValue === 'number' || typeof coercedValue === 'boolean'))
    return String(coercedValue)
  const isOne = type === 'array' && isJsonObject(coercedValue) && isJsonObject(items) && items.type === 'object'
  return isOne ? [coercedValue] : coercedValue
}

function fromText(type: unknown, items: unknown, value: string): unknown {
  switch (type) {
    case 'integer':
    case 'number':
      return exactNumber(value.trim()) ?? value
    case 'boolean':
      return BOOLEANS.get(value) ?? value
    case 'object': {
      const parsedValue = parsedOrUndefined(value)
      return isJsonObject(parsedValue) ? parsedValue : value
    }
    case 'array':
      return listFromText(items, value)
    default:
      return value
  }
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
])

function listFromText(items: unknown, value: string): unknown {
  const parsedValue = parsedOrUndefined(value)
  if (Array.isArray(parsedValue) || isJsonObject(parsedValue)) return parsedValue
  // One address instead of a list of one.
  return isJsonObject(items) && items.type === 'string' ? [value] : value
}

/**
 * Throws the reason for a list or an object of JSON that no door accepts, such as one with a number that would change.
 */
function parsedOrUndefined(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (/^\s*[[{]/.test(text) && tryParseJson(text) !== undefined) throw error
    return undefined
  }
}
