import { type Static, Type } from 'typebox'
import { timeSchema } from '../access/schema.ts'

export const hitSchema = Type.Object({
  space: Type.String({ description: 'Slug of the space; `personal` is your own.' }),
  path: Type.String(),
  title: Type.String(),
  snippet: Type.String({
    description: 'HTML: a part of the page with the matches in `<mark>`, and everything else escaped.',
  }),
  score: Type.Number({
    description:
      'Relevance; above 1 where the title alone meets the query. Comparable within one response only.',
  }),
  version: Type.Integer(),
  updatedAt: timeSchema,
})
export type Hit = Static<typeof hitSchema>
