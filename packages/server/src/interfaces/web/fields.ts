import { AppError } from '@recto/contract/errors.ts'
import { type Static, type TSchema, Type } from 'typebox'
import { type SchemaError, toIssues } from '../../platform/http/problems/validation-issues.ts'
import { INTEGER, validatorCompiler } from '../../platform/http/validation.ts'

/** The fields of a form as they were sent. */
export type Fields = Readonly<Record<string, string | string[]>>

/** The body of most forms: the schema of the use case validates the fields. */
export const fieldsSchema = Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]))

/** The text of a field, empty if it was not sent. */
export function readText(fields: Fields, name: string): string {
  const value = fields[name]
  return typeof value === 'string' ? value : ''
}

/** The integer of a field, as strictly as query parameters are parsed; else NaN, which no schema accepts. */
export function readNumber(fields: Fields, name: string): number {
  const text = readText(fields, name)
  return INTEGER.test(text) ? Number(text) : Number.NaN
}

/** The texts of a field that may be repeated. */
export function readTexts(fields: Fields, name: string): string[] {
  return [fields[name] ?? []].flat()
}

/** The trimmed texts of the named fields, without the empty ones. */
export function filled<K extends string>(fields: Fields, ...names: K[]): Partial<Record<K, string>> {
  const entries = names.map((name) => [name, readText(fields, name).trim()] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== '')) as Partial<Record<K, string>> // as filtered
}

/** Validates an input by the schema that the HTTP API uses; throws `invalid_request`. */
export function checked<T extends TSchema>(schema: T, input: unknown): Static<T> {
  const validate = validatorCompiler({ schema, method: 'POST', url: '', httpPart: 'body' })
  if (validate(input)) return input as Static<T> // it was validated
  const issues = toIssues((validate.errors ?? []) as readonly SchemaError[]) // of Ajv, declared by another package
  const [first] = issues
  const name = first?.path.slice(1) || 'The form'
  throw new AppError('invalid_request', `${name} ${first?.message ?? 'is not valid'}.`, { issues })
}
