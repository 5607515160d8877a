import { isJsonObject } from '@recto/lib/json/json.ts'

/** The keywords that help an agent to call a tool. Limits are checked, and errors name them. */
const KEYWORDS = ['type', 'description', 'enum', 'default', 'properties', 'required', 'items', 'additionalProperties']

/**
 * The schema of `tools/list`: single types and `enum`, without limits and patterns, which cost tokens in every session.
 */
export function listedSchema(schema: unknown): unknown {
  if (!isJsonObject(schema)) return schema
  const literals = listLiterals(schema)
  const flat = literals ? { ...schema, type: 'string', enum: literals } : schema
  return Object.fromEntries(
    KEYWORDS.filter((keyword) => Object.hasOwn(flat, keyword) && !isDefault(keyword, flat[keyword])).map((keyword) => [
      keyword,
      listedMember(keyword, flat[keyword]),
    ]),
  )
}

function isDefault(keyword: string, value: unknown): boolean {
  return keyword === 'additionalProperties' && value === true
}

function listedMember(keyword: string, value: unknown): unknown {
  if (keyword === 'items') return listedSchema(value)
  if (keyword !== 'properties' || !isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, listedSchema(schema)]))
}

/** The values of a union of constants. */
function listLiterals({ anyOf }: Readonly<Record<string, unknown>>): unknown[] | undefined {
  if (!Array.isArray(anyOf)) return undefined
  const values = anyOf.map((schema: { readonly const?: unknown }) => schema.const)
  return values.includes(undefined) ? undefined : values
}
