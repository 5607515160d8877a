import type { Issue } from '@recto/contract/errors.ts'
import { pointerTo } from '@recto/lib/json/json.ts'
import { SINGLE_LINE_RULE } from '@recto/lib/text/single-line.ts'
import { msg } from '../../language/t.ts'
import { NUL_FREE } from '../schemas.ts'

/** An error of the validator (Ajv, with `verbose`). */
export interface SchemaError {
  readonly keyword: string
  readonly instancePath: string
  readonly params: Readonly<Record<string, unknown>>
  readonly message?: string
  readonly parentSchema?: unknown
}

/** One issue for each invalid place; for an enumeration it lists the allowed values. */
export function toIssues(errors: readonly SchemaError[]): Issue[] {
  const issues = new Map<string, string>()
  for (const error of errors) {
    const { additionalProperty, missingProperty, tag } = error.params
    const property = additionalProperty ?? missingProperty ?? (error.keyword === 'discriminator' ? tag : undefined)
    const path = typeof property === 'string' ? pointerTo(error.instancePath, property) : error.instancePath
    // Errors of the enclosing keywords come last, and only repeat that the value does not match.
    if (!issues.has(path)) issues.set(path, formatMessage(error, errors))
  }
  return [...issues].map(([path, message]) => ({ path, message }))
}

function formatMessage(error: SchemaError, all: readonly SchemaError[]): string {
  if (error.keyword === 'additionalProperties') return unknownMember(error)
  if (error.keyword === 'pattern' && error.params.pattern === NUL_FREE) return 'must not contain NUL'
  if (error.keyword === 'format' && error.params.format === 'single-line') return SINGLE_LINE_RULE
  if (error.keyword === 'format' && error.params.format === 'multi-line') return MULTI_LINE_RULE
  const alternatives = all.filter(({ instancePath }) => instancePath === error.instancePath)
  const words = alternatives.flatMap(allowedWords)
  if (words.length > 0) return words.length === 1 ? `must be ${words[0]}` : `must be one of ${words.join(', ')}`
  const types = alternatives
    .filter(({ keyword }) => keyword === 'type')
    .map(({ params }) => TYPE_NAMES[String(params.type)] ?? String(params.type))
  if (error.keyword === 'type') return `must be ${types.join(' or ')}`
  return LIMIT_TEXTS[error.keyword]?.(Number(error.params.limit)) ?? error.message ?? 'is not valid'
}

const MULTI_LINE_RULE = 'must not contain control characters, direction marks and invisible characters'

const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: msg('an array'),
  boolean: msg('true or false'),
  integer: msg('an integer'),
  null: 'null',
  number: msg('a number'),
  object: msg('an object'),
  string: msg('a string'),
}

/** What the other keywords demand, for those whose message by Ajv speaks of the schema and not of the value. */
const LIMIT_TEXTS: Readonly<Record<string, (limit: number) => string>> = {
  required: () => 'is required',
  uniqueItems: () => 'must not contain an item twice',
  minLength: (limit) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`),
  maxLength: (limit) => (limit === 1 ? 'must have at most 1 character' : `must have at most ${limit} characters`),
  minItems: (limit) => (limit === 1 ? 'must have at least 1 item' : `must have at least ${limit} items`),
  maxItems: (limit) => (limit === 1 ? 'must have at most 1 item' : `must have at most ${limit} items`),
  minProperties: (limit) => (limit === 1 ? 'must have at least 1 member' : `must have at least ${limit} members`),
  maxProperties: (limit) => (limit === 1 ? 'must have at most 1 member' : `must have at most ${limit} members`),
  minimum: (limit) => `must be at least ${limit}`,
  maximum: (limit) => `must be at most ${limit}`,
}

function unknownMember({ parentSchema }: SchemaError): string {
  const { properties = {} } = parentSchema as { readonly properties?: object } // the parent of the keyword
  const knownNames = Object.keys(properties)
  return `is not known${knownNames.length === 0 ? '' : `; known are ${knownNames.join(', ')}`}`
}

/** The values of an enumeration, of one constant of a union, or of the discriminator of a union of objects. */
function allowedWords({ keyword, params, parentSchema }: SchemaError): string[] {
  if (keyword === 'enum') return [params.allowedValues].flat().map(String)
  if (keyword === 'const') return [String(params.allowedValue)]
  if (keyword !== 'discriminator') return []
  const { oneOf = [] } = parentSchema as { readonly oneOf?: readonly TaggedForm[] } // a sibling of the keyword
  return oneOf.map((form) => `${form.properties[String(params.tag)]?.const}`)
}

interface TaggedForm {
  readonly properties: Readonly<Record<string, { readonly const?: unknown }>>
}
