import { isSingleLine } from '@recto/lib/text/single-line.ts'
import { type TObjectOptions, type TProperties, type TSchema, type TString, type TStringOptions, Type } from 'typebox'

/** The schema of an object that has no other members than these. */
export function strictObject<P extends TProperties>(properties: P, options: TObjectOptions = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options })
}

/** The same members, each of which may be left out. */
export function optional<P extends TProperties>(properties: P) {
  return Type.Partial(Type.Object(properties)).properties
}

/** The schema of an object with any members: their values are serialised with JSON.stringify, unchanged. */
export function anyObject(description?: string) {
  return Type.Unsafe<Readonly<Record<string, unknown>>>({
    type: 'object',
    additionalProperties: true,
    ...described(description),
  })
}

/** The schema of an id in an input. */
export const uuidSchema = Type.String({ pattern: '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$' })

export function enumSchema<const Word extends string>(words: readonly Word[], description?: string) {
  return Type.Unsafe<Word>(
    Type.Union(
      words.map((word) => Type.Literal(word)),
      described(description),
    ),
  )
}

/** The schema of a value that may be null. */
export function nullable<T extends TSchema>(schema: T, description?: string) {
  return Type.Union([schema, Type.Null()], described(description))
}

function described(description: string | undefined) {
  return description === undefined ? {} : { description }
}

export const NUL_FREE = '^[^\\u0000]*$'

/** The formats of stored text, for validators: `single-line` and `multi-line` (lib/src/text/single-line.ts). */
export const TEXT_FORMATS = {
  'single-line': isSingleLine,
  'multi-line': (value: string) => isSingleLine(value.replace(/[\t\n\r]/g, ' ')),
}

/** A name, title, note or label: what others see in one line. */
export function line(options: Omit<TStringOptions, 'format'> = {}): TString {
  return Type.String({ ...options, format: 'single-line' })
}

/** A description: lines of which the same is true. */
export function lines(options: Omit<TStringOptions, 'format'> = {}): TString {
  return Type.String({ ...options, format: 'multi-line' })
}

/** Text that can be stored: any character but NUL. Lone surrogates cannot pass JSON or a URL. */
export function text(options: Omit<TStringOptions, 'pattern'> = {}): TString {
  return Type.String({ ...options, pattern: NUL_FREE })
}

/** The maximum of items on a page of a list. */
export const MAX_ITEMS = 200

/** The query parameters of every list. */
export const pagingParameters = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_ITEMS, default: 50, description: 'Items on a page of the list.' }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 8192, description: '`nextCursor` of the page before.' })),
}

/** The query of a list without filters. */
export const pagingQuery = strictObject(pagingParameters)

/** The schema of a list on the wire. */
export function listSchema<T extends TSchema>(item: T) {
  return Type.Object({ items: Type.Array(item), nextCursor: nullable(Type.String()) })
}
