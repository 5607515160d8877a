import { type Static, Type } from 'typebox'
import { actorSchema, timeSchema } from '../access/schema.ts'

const changeSchema = Type.Object(
  {
    id: Type.String({ description: 'Names the event; a webhook’s body has the same.' }),
    event: Type.String({ description: 'The kind, such as `page.updated`.' }),
    occurredAt: timeSchema,
    actor: actorSchema,
    page: Type.Optional(
      Type.Object({
        space: Type.String(),
        path: Type.String(),
        url: Type.String(),
        title: Type.String(),
        version: Type.Integer(),
      }),
    ),
    file: Type.Optional(
      Type.Object({
        space: Type.String(),
        path: Type.String(),
        url: Type.String(),
        size: Type.Integer(),
        contentType: Type.String(),
        digest: Type.String(),
        version: Type.Integer(),
      }),
    ),
    space: Type.Optional(Type.Object({ slug: Type.String() }, { additionalProperties: true })),
  },
  { additionalProperties: true },
)
export type FeedEntry = Static<typeof changeSchema>

export const changesSchema = Type.Object({
  items: Type.Array(changeSchema),
  nextCursor: Type.String({ description: 'Send it as `since` to go on; it is always there.' }),
  hasMore: Type.Boolean({ description: 'Whether more is there already.' }),
})
