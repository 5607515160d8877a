/** The members of a schema that hold values and not schemas. */
const VALUES = new Set(['default', 'enum', 'const', 'example', 'examples'])

interface Choice {
  readonly type?: unknown
  readonly enum?: readonly unknown[]
}

/** Replaces schemas in `document`, and in the named ones, that equal a named one by references to it. */
export function referToSchemas<T>(
  document: T,
  namedSchemas: Readonly<Record<string, object>>,
): { readonly document: T; readonly schemas: Record<string, unknown> } {
  const simplifiedSchemas = Object.entries(namedSchemas).map(
    ([name, schema]) => [name, simplify(plain(schema))] as const,
  )
  const names = new Map(simplifiedSchemas.map(([name, schema]) => [JSON.stringify(schema), name]))
  const within = (value: unknown): unknown => mapMembers(value, replaceSchema)
  const replaceSchema = (value: unknown): unknown => {
    const name = isSchema(value) ? names.get(JSON.stringify(value)) : undefined
    return name === undefined ? within(value) : { $ref: `#/components/schemas/${name}` }
  }
  const schemas = simplifiedSchemas.map(([name, schema]) => [name, within(schema)])
  return { document: within(simplify(document)) as T, schemas: Object.fromEntries(schemas) }
}

/** The same with an `enum` for each `const`, and for a choice of them. */
function simplify(value: unknown): unknown {
  const simplifiedValue = mapMembers(value, simplify)
  if (typeof simplifiedValue !== 'object' || simplifiedValue === null || Array.isArray(simplifiedValue))
    return simplifiedValue
  if ('const' in simplifiedValue) {
    const { const: only, ...rest } = simplifiedValue
    return { ...rest, enum: [only] }
  }
  // Its members have no names to which it could refer.
  if ('discriminator' in simplifiedValue) delete simplifiedValue.discriminator
  return 'anyOf' in simplifiedValue && Array.isArray(simplifiedValue.anyOf)
    ? joinEnums({ ...simplifiedValue, anyOf: simplifiedValue.anyOf })
    : simplifiedValue
}

function joinEnums(schema: { readonly anyOf: readonly Choice[] }): object {
  const { anyOf, ...rest } = schema
  const [first] = anyOf
  const isEnum = anyOf.every((choice) => choice.enum && choice.type === first?.type && Object.keys(choice).length === 2)
  return isEnum ? { type: first?.type, ...rest, enum: anyOf.flatMap((choice) => choice.enum) } : schema
}

function mapMembers(value: unknown, map: (member: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(map)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, VALUES.has(key) ? member : map(member)]))
}

/** Most objects of a document are none; stringifying those at every level would take seconds. */
function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('type' in value || 'oneOf' in value)
}

/** A schema of TypeBox without its hidden members. */
function plain(schema: object): unknown {
  return JSON.parse(JSON.stringify(schema))
}
