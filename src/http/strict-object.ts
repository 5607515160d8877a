import { type TObjectOptions, type TProperties, Type } from 'typebox'

/** The schema of an object that has no other members than these. */
export function strictObject<P extends TProperties>(properties: P, options: TObjectOptions = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options })
}
