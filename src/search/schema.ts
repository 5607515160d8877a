import { type Static, Type } from 'typebox'
import { timeSchema } from '../access/schema.ts'

export const hitSchema = Type.Object({
  space: Type.String({ description: 'Slug of the space; `personal` is your own.' }),
  path: Type.String(),
  title: Type.String(),
  snippet: Type.String({
    description: 'HTML: a piece of the page with what was found in `<mark>`, and everything else escaped.',
  }),
  score: Type.Number({
    description:
      'How well it fits, above 1 where the title alone has all that was looked for. Good for comparing the items of one answer.',
  }),
  version: Type.Integer(),
  updatedAt: timeSchema,
})
export type Hit = Static<typeof hitSchema>
