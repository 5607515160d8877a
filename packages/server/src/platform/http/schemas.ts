import { type TObjectOptions, type TProperties, type TSchema, Type } from 'typebox'

/** The schema of an object that has no other members than these. */
export function strictObject<P extends TProperties>(properties: P, options: TObjectOptions = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options })
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
