/**
 * The strings of request bodies in an OpenAPI document, by operation and JSON Pointer (`*` for items and any members).
 */
export function bodyStrings(document: Json): ReadonlyMap<string, Json> {
  const strings = new Map<string, Json>()
  const visit = (schema: Json | undefined, at: string, depth = 0): void => {
    if (!schema || depth > 12) return
    if (typeof schema.$ref === 'string') {
      const target = String(schema.$ref)
        .slice(2)
        .split('/')
        .reduce((node: Json, name: string) => node[name], document)
      visit(target, at, depth + 1)
      return
    }
    for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
      visit(part, at, depth + 1)
    if ([schema.type].flat().includes('string') && !schema.enum && schema.const === undefined) strings.set(at, schema)
    for (const [name, member] of Object.entries(schema.properties ?? {}))
      visit(member as Json, `${at}/${name}`, depth + 1)
    visit(schema.items, `${at}/*`, depth + 1)
    if (typeof schema.additionalProperties === 'object') visit(schema.additionalProperties, `${at}/*`, depth + 1)
  }
  for (const methods of Object.values<Json>(document.paths)) {
    for (const operation of Object.values<Json>(methods)) {
      for (const { schema } of Object.values<Json>(operation.requestBody?.content ?? {}))
        visit(schema, operation.operationId)
    }
  }
  return strings
}

// biome-ignore lint/suspicious/noExplicitAny: a JSON document that is walked
type Json = any
