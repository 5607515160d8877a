interface Schema {
  readonly $ref?: string
  readonly required?: readonly string[]
  readonly description?: string
  readonly properties?: Record<string, Schema>
  items?: Schema
  readonly anyOf?: readonly Schema[]
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly responses: { readonly 200?: { readonly content?: Readonly<Record<string, { schema?: Schema }>> } }
}

/** The description of an item that may lack members. */
export const SPARSE_ITEM = 'A complete item, or the members that `fields` selects.'
const SCHEMAS = '#/components/schemas/'

/** Describes that items of lists with `fields` may lack members. Adds the schemas of such items to `schemas`. */
export function describeSparseItems(paths: object, schemas: Record<string, unknown>): void {
  for (const { get } of Object.values(paths) as { get?: Operation }[]) {
    if (!get?.parameters?.some(({ name, in: place }) => name === 'fields' && place === 'query')) continue
    const list = get.responses[200]?.content?.['application/json']?.schema
    const { items } = resolve(list, schemas).properties ?? {}
    if (!items?.items || items.items.anyOf) continue
    items.items = { description: SPARSE_ITEM, anyOf: [items.items, sparse(items.items, schemas)] }
  }
}

function sparse(item: Schema, schemas: Record<string, unknown>): Schema {
  const { required: _required, ...partial } = resolve(item, schemas)
  if (item.$ref === undefined) return partial
  const name = `Partial${item.$ref.slice(SCHEMAS.length)}`
  schemas[name] = partial
  return { $ref: SCHEMAS + name }
}

function resolve(schema: Schema = {}, schemas: Record<string, unknown>): Schema {
  const name = schema.$ref?.slice(SCHEMAS.length)
  return name === undefined ? schema : (schemas[name] as Schema) // every reference is to one of them
}
