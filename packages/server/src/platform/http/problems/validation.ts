import { Ajv, type AnySchema, type ValidateFunction } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { TEXT_FORMATS } from '../bodies/text.ts'

const ajv = new Ajv({
  removeAdditional: false,
  useDefaults: true,
  allErrors: false,
  strict: false,
  discriminator: true,
  // With the schema in each error, which has the allowed values.
  verbose: true,
  formats: TEXT_FORMATS,
})

/**
 * Compiles a schema; unknown members are rejected where the schema says so, and never dropped. Lazy, with the first
 * request: compiling the schemas of all routes took an eighth of a start.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  let compiledValidator: ValidateFunction | undefined
  const validate: ReturnType<typeof validatorCompiler> = (data) => {
    compiledValidator ??= ajv.compile(schema as AnySchema)
    // Values of a JSON body have types; a parameter of a URL is always text.
    if (httpPart !== 'body') parseParameters(schema as ParameterSchema, data)
    const isValid = compiledValidator(data)
    validate.errors = (compiledValidator.errors as typeof validate.errors) ?? null // the same type, declared by two packages
    return isValid
  }
  return validate
}

type ParameterSchema = {
  readonly properties?: Readonly<Record<string, { readonly type?: string; readonly explode?: boolean }>>
}

/** ASCII digits only: no sign, exponent, hexadecimal, blank or leading zero, which type coercion would accept. */
export const INTEGER = /^(?:0|[1-9][0-9]*)$/

/** Parses text where the schema requires an integer, a boolean or a list; validation rejects anything else. */
function parseParameters(schema: ParameterSchema, data: Record<string, unknown>): void {
  for (const [name, { type, explode }] of Object.entries(schema.properties ?? {})) {
    const text = data[name]
    if (text === undefined) continue
    if (explode === false) data[name] = String(text).split(',')
    else if (type === 'array') data[name] = [text].flat()
    else if (typeof text === 'string') data[name] = parseScalar(type, text)
  }
}

function parseScalar(type: string | undefined, text: string): unknown {
  if (type === 'integer' && INTEGER.test(text)) return Number(text)
  return type === 'boolean' && (text === 'true' || text === 'false') ? text === 'true' : text
}
