import { type Static, Type } from 'typebox'
import { actorSchema, authorSchema, proposalFields, timeSchema } from '../../access/schema.ts'
import { anyObject, enumSchema, strictObject } from '../../platform/http/schemas.ts'
import { OPS } from './patch.ts'

const operands = (description: string) => Type.Optional(anyObject(description))
const anyValue = Type.Unknown({ description: 'Any JSON value.' })

export const patchSchema = strictObject(
  {
    set: operands('Gives each key a value; null deletes the key.'),
    append: operands('Adds an element, or the elements of an array, to the array of each key.'),
    appendUnique: operands('The same, but skips elements that the array holds already.'),
  },
  { description: 'A key can be in one member only.' },
)

/** The values of a page, with any keys: serialised with JSON.stringify, unchanged. */
const valuesSchema = anyObject('Values by key.')

export const metadataSchema = Type.Object({
  ...proposalFields,
  space: Type.String(),
  path: Type.String(),
  metadata: valuesSchema,
  entries: Type.Array(
    Type.Object({ key: Type.String(), value: anyValue, updatedAt: timeSchema, updatedBy: authorSchema }),
  ),
})

export const auditEventSchema = Type.Object({
  key: Type.String(),
  op: enumSchema(OPS),
  value: anyValue,
  previousValue: anyValue,
  existed: Type.Boolean({ description: 'Whether the key had a value before.' }),
  actor: actorSchema,
  createdAt: timeSchema,
})

export const foundPageSchema = Type.Object({
  space: Type.String(),
  path: Type.String(),
  title: Type.String(),
  version: Type.Integer(),
  updatedAt: timeSchema,
  metadata: Type.Optional(valuesSchema),
})
export type FoundPage = Static<typeof foundPageSchema>

export const keyUseSchema = Type.Object({
  key: Type.String(),
  pageCount: Type.Integer({ description: 'The number of pages with the key that you can read.' }),
  valueTypes: Type.Array(enumSchema(['string', 'number', 'boolean', 'array', 'object'])),
  lastUpdatedAt: timeSchema,
})
export type KeyUse = Static<typeof keyUseSchema>

export const valueUseSchema = Type.Object({
  value: anyValue,
  pageCount: Type.Integer({ description: 'The number of pages with the value that you can read.' }),
  isComplete: Type.Boolean({ description: 'False: counting stopped after 5,000 pages, and more may have it.' }),
})
export type ValueUse = Static<typeof valueUseSchema>
