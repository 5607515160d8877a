import { type Static, Type } from 'typebox'
import { authorSchema, timeSchema } from '../../access/schema.ts'
import { trustSchema } from '../../access/verification.ts'
import { listSchema, nullable } from '../../platform/http/schemas.ts'
import { warningsSchema } from '../metadata/warnings.ts'
import { passageSchema } from './snippets/passages.ts'

/** Of a page; absent if it has none. */
export const iconSchema = Type.String({
  description: 'The emoji in the front matter of the page: its `icon`, if that is one emoji.',
})

export const hitSchema = Type.Object({
  space: Type.String({ description: 'Slug of the space; `personal` is your own.' }),
  path: Type.String(),
  title: Type.String(),
  icon: Type.Optional(iconSchema),
  snippet: Type.String({
    description: 'HTML: a part of the page with the matches in `<mark>`, and everything else escaped.',
  }),
  score: Type.Number({
    description: 'Relevance; above 1 if the title meets the query. Comparable within one response only.',
  }),
  heading: nullable(Type.String(), 'The heading above the best match; null before the first one.'),
  line: nullable(Type.Integer(), 'The line of the best match, counted from 1; null if no line has one of the words.'),
  missing: Type.Optional(
    Type.Array(Type.String(), { description: 'Words of the query that the page lacks; absent if it has all.' }),
  ),
  alsoIn: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Paths of the same page in other versions, such as `7.4/setup` beside `7.5/setup`.',
    }),
  ),
  version: Type.Unsafe<number>(nullable(Type.Integer(), 'Null: a change request creates the page.')),
  updatedAt: timeSchema,
  trust: Type.Optional(trustSchema),
  url: Type.Optional(Type.String({ description: 'Address of the page; with `passages`.' })),
  updatedBy: authorSchema,
  passages: Type.Optional(
    Type.Array(passageSchema, { description: 'Parts of this version of the page, the best first; with `passages`.' }),
  ),
})
export type Hit = Static<typeof hitSchema>

export const searchResultSchema = Type.Object({
  ...listSchema(hitSchema).properties,
  relaxed: Type.Optional(Type.Literal(true, { description: 'No page has all words.' })),
  corrected: Type.Optional(
    Type.String({ description: 'The query that was searched for, where words of `q` are on no page.' }),
  ),
  warnings: warningsSchema,
})
export type SearchResult = Static<typeof searchResultSchema>
