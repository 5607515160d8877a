import { isJsonObject, parseJson } from '../lib/json/json.ts'

/**
 * Coerces an argument to the type of the schema: a number, a boolean, a list or an object that was sent as text.
 * Other values are unchanged, so that the validator reports them.
 */
export function coerced(schema: unknown, value: unknown): unknown {
  if (!isJsonObject(schema)) return value
  const { type, items, properties } = schema
  const parsed = typeof value === 'string' ? fromText(type, items, value) : value
  if (Array.isArray(parsed)) return parsed.map((item) => coerced(items, item))
  if (!isJsonObject(parsed) || !isJsonObject(properties)) return parsed
  return Object.fromEntries(
    Object.entries(parsed).map(([name, member]) => [
      name,
      Object.hasOwn(properties, name) ? coerced(properties[name], member) : member,
    ]),
  )
}

function fromText(type: unknown, items: unknown, value: string): unknown {
  switch (type) {
    case 'integer':
    case 'number':
      return /^-?\d{1,15}(?:\.\d+)?$/.test(value.trim()) ? Number(value) : value
    case 'boolean':
      return BOOLEANS.get(value) ?? value
    case 'object': {
      const found = parsedOrUndefined(value)
      return isJsonObject(found) ? found : value
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
  const found = parsedOrUndefined(value)
  if (Array.isArray(found)) return found
  // One address instead of a list of one.
  return isJsonObject(items) && items.type === 'string' ? [value] : value
}

function parsedOrUndefined(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
