import { type Static, Type } from 'typebox'
import { actorSchema, timeSchema } from '../../access/schema.ts'
import { enumSchema, lines, nullable, strictObject, text } from '../../platform/http/schemas.ts'

const body = lines({ minLength: 1, maxLength: 10_000, pattern: '\\S', description: 'Markdown.' })
const context = { maxLength: 200 }

const quoteFields = {
  exact: text({ minLength: 1, maxLength: 1000, description: 'The passage in the body as written, marks included.' }),
  prefix: Type.Optional(text({ ...context, description: 'What stands directly before it.' })),
  suffix: Type.Optional(text({ ...context, description: 'What stands directly after it.' })),
}
const quoteSchema = strictObject(quoteFields, {
  description: 'A passage, as a TextQuoteSelector of the W3C Web Annotation Data Model.',
})
export type ThreadQuote = Static<typeof quoteSchema>

const states = ['open', 'resolved'] as const

export const commentSchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  thread: Type.String({ format: 'uuid' }),
  author: actorSchema,
  body: Type.String({ description: 'Markdown.' }),
  createdAt: timeSchema,
  editedAt: nullable(timeSchema),
})
export type Comment = Static<typeof commentSchema>

export const threadSchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  subject: Type.Object(
    {
      kind: enumSchema(['page', 'file', 'changeRequest', 'change']),
      space: Type.String(),
      path: Type.Optional(Type.String({ description: 'Of the page, the file or the change, where it is now.' })),
      number: Type.Optional(Type.Integer({ description: 'Of the change request.' })),
    },
    { description: 'What it is about.' },
  ),
  url: Type.String({ description: 'Of the screen that shows it.' }),
  quote: nullable(Type.Object(quoteFields), 'The passage that it is about, as it was; null: the whole.'),
  place: nullable(
    Type.Object({ version: Type.Integer(), startLine: Type.Integer(), endLine: Type.Integer() }),
    'Where the passage is in the latest version of the page; lines count from 1.',
  ),
  outdated: Type.Boolean({ description: 'Whether the latest version does not have the passage any more.' }),
  state: enumSchema(states),
  resolvedAt: nullable(timeSchema),
  resolvedBy: nullable(actorSchema),
  author: actorSchema,
  comments: Type.Array(commentSchema, { description: 'The first one first.' }),
  createdAt: timeSchema,
  updatedAt: timeSchema,
})
export type Thread = Static<typeof threadSchema>

const resource = Type.Optional(
  enumSchema(['page', 'file'], 'What is at the path, where a page and a file are: the page, if it is not said.'),
)
export const state = Type.Optional(enumSchema(states, 'Only threads in this state.'))
export const subjectQuery = strictObject({ resource })

export const createThreadSchema = strictObject({
  body,
  quote: Type.Optional(quoteSchema),
  version: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'Of the page that has the quote; else the latest.',
    }),
  ),
})
export type CreateThread = Static<typeof createThreadSchema>

export const createRequestThreadSchema = strictObject({
  body,
  path: Type.Optional(
    text({ minLength: 1, maxLength: 1024, description: 'The change that it is about, by its path.' }),
  ),
  resource,
})
export const bodySchema = strictObject({ body })
