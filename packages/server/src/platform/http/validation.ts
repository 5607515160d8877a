import { AppError, inputError } from '@recto/contract/errors.ts'
import { pointerTo } from '@recto/lib/json/json.ts'
import { isWithinEdits } from '@recto/lib/text/edits.ts'
import { Ajv, type AnySchema, type ValidateFunction } from 'ajv'
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { TEXT_FORMATS } from './schemas.ts'

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
    // the same type, declared by two packages
    validate.errors = (compiledValidator.errors as typeof validate.errors) ?? null
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

/** Parameters of other requests. A read that ignored a misspelt one would answer something else. */
const ELSEWHERE = ['changeRequest']
/** Words of fewer letters differ from too many others by one. */
const MIN_LETTERS = 3

/** Rejects a parameter that is none of a route, and differs from a known one in case or by one letter. */
export function rejectMisspeltParameters(request: FastifyRequest): void {
  for (const name of unknownNames(request)) {
    const meantName = [...knownNames(request), ...ELSEWHERE].find((knownName) => isMisspelt(name, knownName))
    if (meantName === undefined) continue
    const message = `is not known; did you mean \`${meantName}\`?`
    throw inputError('invalid_request', `The parameter \`${name}\` ${message}`, `/${name}`, message)
  }
}

/** Removes the other unknown parameters, which links get on their way (`utm_source`, `fbclid`). */
export function ignoreUnknownParameters(request: FastifyRequest): void {
  rejectMisspeltParameters(request)
  const query = request.query as Record<string, unknown> // an object, as every parsed query
  for (const name of unknownNames(request)) if (!ELSEWHERE.includes(name)) delete query[name]
}

export function hasUnknownParameters(request: FastifyRequest): boolean {
  return unknownNames(request).length > 0
}

function knownNames({ routeOptions }: FastifyRequest): readonly string[] {
  // an object schema
  const { properties = {} } = (routeOptions.schema?.querystring ?? {}) as { readonly properties?: object }
  return Object.keys(properties)
}

function unknownNames(request: FastifyRequest): readonly string[] {
  const names = Object.keys(request.query as object) // as above
  if (names.length === 0) return names
  const knownNameSet = new Set(knownNames(request))
  return names.filter((name) => !knownNameSet.has(name))
}

function isMisspelt(name: string, knownName: string): boolean {
  if (name.toLowerCase() === knownName.toLowerCase()) return true
  return knownName.length >= MIN_LETTERS && isWithinEdits(name.toLowerCase(), knownName.toLowerCase(), 1)
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the use case itself checks the text of the body, to report all mistakes together. */
    checksText?: boolean
  }
}

/** Rejects NUL in URLs: PostgreSQL cannot store it in text. */
export function rejectNulInUrl(request: FastifyRequest): void {
  // Percent-encoding is decoded once: this is NUL, and `%2500` is not.
  if (!request.url.includes('%00')) return
  for (const [name, value] of new URLSearchParams(request.url.split('?')[1])) {
    if (name.includes('\0') || value.includes('\0')) throw nulAt(name, `The query must not contain NUL: ${name}.`)
  }
  const { space, slug } = (request.params ?? {}) as { space?: string; slug?: string } // of routes below a space
  const isPage = /^\/(?:pages|files)\//.test(request.url)
  const code = (space ?? slug)?.includes('\0') ? 'invalid_slug' : isPage ? 'invalid_path' : 'invalid_request'
  throw new AppError(code, 'The URL must not contain NUL (%00).')
}

/** The same for parsed bodies. */
export function rejectNulInBody({ body, routeOptions }: FastifyRequest): void {
  if (routeOptions.config.checksText || !isParsed(body)) return
  const path = nulWithin(body)
  if (path !== undefined) throw nulAt(path, `The body must not contain NUL: ${path || '/'}.`)
}

function nulAt(path: string, detail: string): AppError {
  return inputError('invalid_request', detail, path, 'must not contain NUL')
}

/** Whether the body is parsed; streams and bytes are checked where they are read. */
function isParsed(body: FastifyRequest['body']): boolean {
  return typeof body === 'string' || (typeof body === 'object' && body !== null && isPlain(body))
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Array.isArray(value)
}

/** The JSON Pointer of the first text with NUL in a parsed body, keys included; the parser bounds nesting. */
function nulWithin(value: unknown, pointer = ''): string | undefined {
  if (typeof value === 'string') return value.includes('\0') ? pointer : undefined
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const nulPointer = name.includes('\0') ? pointer : nulWithin(member, pointerTo(pointer, name))
    if (nulPointer !== undefined) return nulPointer
  }
  return undefined
}
