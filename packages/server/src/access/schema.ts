import { type Static, Type } from 'typebox'
import { enumSchema } from '../platform/http/schemas.ts'
import { SCOPES } from './caller.ts'

export const actorSchema = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    kind: enumSchema(['human', 'agent']),
    via: Type.Optional(Type.String({ description: 'The connected app that acted for the person.' })),
  },
  { description: 'Who did it.' },
)

/** The author of something that callers without an account read, too. */
export const authorSchema = Type.Optional(
  Type.Object(actorSchema.properties, { description: 'Who did it; callers without an account are not told.' }),
)

/** A time in responses: RFC 3339, UTC, milliseconds. */
export const timeSchema = Type.String({ format: 'date-time' })

export const spaceParameter = Type.String({ description: 'Slug of the space; `personal` is the caller’s own.' })

/** The parameters of routes below a space. */
export const spaceParams = Type.Object({ space: spaceParameter })

/** The path of a page in a JSON body. */
export const writtenPathSchema = Type.String({
  minLength: 1,
  description: 'Path of the page. A trailing `.md` is no part of it.',
})

/** The parameters of every route below a page. */
export const pageParams = Type.Object({
  space: spaceParameter,
  path: Type.String({
    description: 'Path of the page: segments joined by `/` or `%2F`. A trailing `.md` is no part of it.',
  }),
})

/** What a change request makes of a page or file that is read through it. */
export const draftSchema = Type.Object(
  { number: Type.Integer(), version: Type.Integer(), updatedBy: actorSchema },
  { description: 'Of the change request that it is read through, and that changes it.' },
)

/** What the response to a proposal has besides. */
export const proposalFields = {
  changeRequest: Type.Optional(
    Type.Object(
      { number: Type.Integer(), url: Type.String() },
      { description: 'The change request that has the change. Nothing is changed before it is merged.' },
    ),
  ),
}

export const meSchema = Type.Object({
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  kind: enumSchema(['human', 'agent']),
  role: enumSchema(['admin', 'member'], 'The role in the organisation.'),
  scopes: Type.Array(enumSchema(SCOPES), { description: 'What the credential of this request allows.' }),
})
export type Me = Static<typeof meSchema>
