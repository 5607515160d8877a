import { type Static, Type } from 'typebox'
import { actorSchema, timeSchema } from '../../access/schema.ts'
import { enumSchema, nullable } from '../../platform/http/schemas.ts'

/** The members of every event, in the feed and in the bodies of webhooks. */
export const eventMembers = {
  id: Type.String({ description: 'Identifies the event; the same in the feed and in all webhooks.' }),
  event: Type.String({ description: 'The kind, such as `page.updated`.' }),
  occurredAt: timeSchema,
  actor: actorSchema,
}

const threadMembers = {
  space: Type.String(),
  id: Type.String(),
  path: Type.Optional(Type.String({ description: 'Of the page, file or change that it is about.' })),
  number: Type.Optional(Type.Integer({ description: 'Of the change request that it is about.' })),
  url: Type.String(),
}

/** The subject of an event: the member with the name before the dot of its kind. */
export const eventSubjects = {
  page: Type.Object({
    space: Type.String(),
    path: Type.String(),
    url: Type.String(),
    title: Type.String(),
    version: Type.Integer(),
  }),
  file: Type.Object({
    space: Type.String(),
    path: Type.String(),
    url: Type.String(),
    size: Type.Integer(),
    contentType: Type.String(),
    digest: Type.String(),
    version: Type.Integer(),
  }),
  space: Type.Object({ slug: Type.String() }, { additionalProperties: true }),
  changeRequest: Type.Object({
    space: Type.String(),
    number: Type.Integer(),
    url: Type.String(),
    title: Type.String(),
    state: Type.String(),
    path: Type.Optional(Type.String({ description: 'Of the page or file that was changed in it.' })),
    resource: Type.Optional(enumSchema(['page', 'file'])),
  }),
  comment: Type.Object({ ...threadMembers, thread: Type.String() }),
  thread: Type.Object({ ...threadMembers, state: Type.String() }),
}

/** What some events have besides their subject. */
export const eventDetails = {
  from: Type.Optional(
    Type.Object(
      { space: Type.String(), path: Type.String() },
      { description: 'Where the page or file was before a move, for those who can read that space.' },
    ),
  ),
  to: Type.Optional(
    Type.Object(
      { space: Type.String(), path: Type.String() },
      {
        description:
          'Where a page or file is that has left this space, for those who can read that one; ' +
          'for others it is deleted.',
      },
    ),
  ),
  changedKeys: Type.Optional(Type.Array(Type.String(), { description: 'The keys of metadata that were changed.' })),
  until: Type.Optional(nullable(timeSchema, 'When a verification expires; null: never.')),
  restored: Type.Optional(Type.Boolean({ description: 'Whether the file comes from the trash.' })),
  purged: Type.Optional(Type.Boolean({ description: 'Whether it was deleted permanently.' })),
}

export const changeSchema = Type.Object(
  { ...eventMembers, ...Type.Partial(Type.Object(eventSubjects)).properties, ...eventDetails },
  { additionalProperties: true },
)
export type FeedEntry = Static<typeof changeSchema>

export const changesSchema = Type.Object({
  items: Type.Array(changeSchema),
  nextCursor: Type.String({ description: 'Send it as `since` to go on; it is always there.' }),
  hasMore: Type.Boolean({ description: 'Whether there are further events now.' }),
})
