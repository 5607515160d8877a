import { type TProperties, Type } from 'typebox'

/** The schema of an object without further properties. */
export function strictObject<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false })
}
