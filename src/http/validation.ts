import { Ajv, type AnySchema } from 'ajv'
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

/** Compiles a schema; unknown members are refused where the schema says so, and never dropped. */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) =>
  (httpPart === 'body' ? bodies : parameters).compile(schema as AnySchema)
