import { Ajv, type AnySchema, type ValidateFunction } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'

const shared = {
  removeAdditional: false,
  useDefaults: true,
  allErrors: false,
  strict: false,
  discriminator: true,
} as const
/** A body says its types itself; a parameter of an address is always text. */
const bodies = new Ajv(shared)
const parameters = new Ajv({ ...shared, coerceTypes: true })

/**
 * Compiles a schema; unknown members are refused where the schema says so, and never dropped. Done when the first request
 * comes that it is for: to compile those of all routes was an eighth of a start.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  let compiled: ValidateFunction | undefined
  const validate: ReturnType<typeof validatorCompiler> = (data) => {
    compiled ??= (httpPart === 'body' ? bodies : parameters).compile(schema as AnySchema)
    const isValid = compiled(data)
    validate.errors = (compiled.errors as typeof validate.errors) ?? null // one shape, in two packages' words
    return isValid
  }
  return validate
}
