import { createRequire } from 'node:module'

type Serialize = (payload: unknown) => string

// Loaded with the first response that has a schema.
const require = createRequire(import.meta.url)
/** Many routes share a schema, such as that of problems. */
const serializers = new WeakMap<object, Serialize>()

/**
 * Compiles the schema of a response. Lazy, with the first response: compiling the schemas of all routes took half the
 * processor time of a start, and memory.
 */
export function serializerCompiler({ schema }: { readonly schema?: unknown }): Serialize {
  let serialize: Serialize | undefined
  return (payload) => {
    serialize ??= createSerializer(schema as object) // routes without one have no serializer
    return serialize(payload)
  }
}

function createSerializer(schema: object): Serialize {
  const serializer = serializers.get(schema)
  if (serializer) return serializer
  const build = require('fast-json-stringify') as typeof import('fast-json-stringify').default
  const newSerializer = build(schema)
  serializers.set(schema, newSerializer)
  return newSerializer
}
