import { type Static, Type } from 'typebox'
import { actorSchema, timeSchema } from '../../access/schema.ts'
import {
  enumSchema,
  line,
  lines,
  nullable,
  optional,
  pagingParameters,
  strictObject,
  text,
  uuidSchema,
} from '../../platform/http/schemas.ts'
import { moveOutcomeSchema } from '../lifecycle/schema.ts'

const title = line({
  minLength: 1,
  maxLength: 200,
  description: 'Every reader of the space with an account sees it: name nothing that some of them may not read.',
})
const description = lines({ maxLength: 10_000, description: 'Markdown; visible as the title.' })
const states = ['open', 'merged', 'closed'] as const
export type RequestState = (typeof states)[number]

const ofFile = Type.Optional(enumSchema(['file'], 'It is a file; absent: a page.'))

const conflictSchema = Type.Object({
  path: Type.String(),
  resource: ofFile,
  kind: enumSchema(
    ['text', 'moved', 'exists', 'deleted', 'changed', 'metadata'],
    '`text`: both changed the same lines. `moved`: both moved the page. `exists`: ' +
      'there is a page at the address of a new or moved one. `deleted`: the page was deleted since. `changed`: ' +
      'the page to be deleted, or the file, was changed since. `metadata`: both changed a key.',
  ),
  hunks: Type.Optional(
    Type.Array(Type.Object({ base: Type.String(), draft: Type.String(), page: Type.String() }), {
      description: 'The lines that both changed: before, in the request, and in the page.',
    }),
  ),
  keys: Type.Optional(Type.Array(Type.String(), { description: 'Of the metadata.' })),
  version: Type.Optional(Type.Integer({ description: 'Of the page now: send it in `resolved` of `update`.' })),
})
export type MergeConflict = Static<typeof conflictSchema>

const fields = {
  space: Type.String(),
  number: Type.Integer({ description: 'Counts within the space.' }),
  title: Type.String(),
  description: Type.String(),
  state: enumSchema(states),
  author: actorSchema,
  createdAt: timeSchema,
  updatedAt: timeSchema,
  etag: Type.String({ description: 'Send it as `If-Match`: it changes with what you can read of the request.' }),
  url: Type.String(),
  reviewers: Type.Array(actorSchema, { description: 'Who is asked for a review.' }),
  changes: Type.Integer({ description: 'Changed pages that you can read.' }),
}

export const changeRequestSchema = Type.Object(fields)
export type ChangeRequest = Static<typeof changeRequestSchema>

const verdicts = ['approve', 'requestChanges', 'comment'] as const
export type Verdict = (typeof verdicts)[number]

const verdict = enumSchema(
  verdicts,
  '`approve` and `requestChanges` are on the changes as they are: of those that are written again it counts no more.',
)
const statuses = ['pending', 'passed', 'failed'] as const
const checkName = line({ minLength: 1, maxLength: 100, description: 'What it looks at, such as `spelling`.' })

const reviewSchema = Type.Object({
  id: Type.Integer(),
  author: actorSchema,
  verdict,
  body: Type.String(),
  createdAt: timeSchema,
  stale: Type.Boolean({ description: 'Whether changes that you can read are newer than the verdict.' }),
})
export type Review = Static<typeof reviewSchema>

const checkSchema = Type.Object({
  name: Type.String(),
  status: enumSchema(statuses),
  required: Type.Boolean({ description: 'Whether a merge needs it.' }),
  details: Type.String(),
  url: Type.Optional(Type.String()),
  paths: Type.Optional(Type.Array(Type.String(), { description: 'Of the first changes that it is about.' })),
  updatedAt: Type.Optional(timeSchema),
  updatedBy: Type.Optional(actorSchema),
})
export type Check = Static<typeof checkSchema>

export const writeReviewSchema = strictObject({
  verdict,
  body: Type.Optional(lines({ maxLength: 10_000, description: 'Markdown; visible as the title.' })),
})
export type WriteReview = Static<typeof writeReviewSchema>

export const setCheckSchema = strictObject({
  name: checkName,
  status: enumSchema(statuses),
  details: Type.Optional(lines({ maxLength: 2000, description: 'Visible as the title.' })),
  url: Type.Optional(
    Type.String({ maxLength: 2048, pattern: '^https?://[^\\s\\u0000]+$', description: 'Where more is said.' }),
  ),
})
export type SetCheck = Static<typeof setCheckSchema>

export const readRequestSchema = Type.Object({
  ...fields,
  mergeable: Type.Boolean({
    description: 'Whether what you can read of it has no conflict, and all checks that a merge needs are passed.',
  }),
  conflicts: Type.Array(conflictSchema),
  reviews: Type.Array(reviewSchema, { description: 'The latest 200, the latest last.' }),
  checks: Type.Array(checkSchema, {
    description: '`conflicts`, broken `links`, `approvals`, what the space needs, and what programs have sent.',
  }),
  basedOn: Type.Array(Type.Object({ space: Type.String(), path: Type.String(), version: Type.Integer() }), {
    description: 'Up to 200 pages that the MCP session of its author had read when it proposed, as far as you can.',
  }),
})
export type WholeRequest = Static<typeof readRequestSchema>

const reviewers = Type.Array(uuidSchema, {
  maxItems: 20,
  uniqueItems: true,
  description: 'People and agents who can read the space, to be asked for a review.',
})

export const createRequestSchema = strictObject({ title, ...optional({ description, reviewers }) })

export const updateRequestSchema = strictObject(optional({ title, description, reviewers }))

export const requestsQuery = strictObject({
  ...pagingParameters,
  state: Type.Optional(enumSchema(states)),
  author: Type.Optional(Type.String({ description: 'The id of a principal, or `me`.' })),
  reviewer: Type.Optional(Type.String({ description: 'Who is asked for a review: an id, or `me`.' })),
  path: Type.Optional(text({ maxLength: 1024, description: 'Only those that change the page at this path.' })),
})

const path = Type.String()
const changedPage = {
  path,
  resource: enumSchema(['page', 'file']),
  kind: enumSchema(['created', 'restored', 'edited', 'moved', 'metadata', 'deleted']),
  movedFrom: nullable(Type.String(), 'Where the page is now, if the request moves it.'),
  title: Type.String(),
  baseVersion: nullable(Type.Integer(), 'The version of the page that was changed; null: it is new.'),
  draftVersion: Type.Integer(),
  note: nullable(Type.String()),
  metadataKeys: Type.Array(Type.String()),
  updatedAt: timeSchema,
  updatedBy: actorSchema,
  mergedVersion: nullable(Type.Integer(), 'The revision that the merge made.'),
}
export const changedPageSchema = Type.Object(changedPage)
export type ChangedPage = Static<typeof changedPageSchema>

export const diffQuery = strictObject({
  resource: Type.Optional(
    enumSchema(['page', 'file'], 'Where a page and a file have the path; else that which is there.'),
  ),
  path: text({ minLength: 1, maxLength: 1024, description: 'Of a changed page.' }),
})
export const diffSchema = Type.Object({
  ...changedPage,
  diff: Type.String({ description: 'The change of the body as a unified diff; empty: it stays.' }),
  metadata: Type.Array(
    Type.Object({ key: Type.String(), before: Type.Optional(Type.Unknown()), after: Type.Optional(Type.Unknown()) }),
    {
      description:
        'The present value of each changed key, and that after the merge; absent: no value. ' +
        'Of a file its `size`, `contentType` and `digest`.',
    },
  ),
})

export const mergeSchema = strictObject({
  paths: Type.Optional(
    Type.Array(text({ minLength: 1, maxLength: 1024 }), {
      minItems: 1,
      maxItems: 500,
      description: 'Only the changes of these pages; the others stay open.',
    }),
  ),
  note: Type.Optional(
    line({ maxLength: 2000, description: 'What each revision is about, where its draft says nothing.' }),
  ),
})
export type Merge = Static<typeof mergeSchema>

export const updateDraftsSchema = strictObject({
  paths: Type.Optional({ ...mergeSchema.properties.paths, description: 'Only the drafts of these pages.' }),
  resolved: Type.Optional(
    Type.Array(
      strictObject({
        path: text({ minLength: 1, maxLength: 1024 }),
        version: Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Of the page, as you read it.' }),
      }),
      {
        maxItems: 500,
        description: 'Drafts that have what they need of a later version of their page: they stay as they are.',
      },
    ),
  ),
})
export type UpdateDrafts = Static<typeof updateDraftsSchema>

export const mergedSchema = Type.Object({
  ...fields,
  merged: Type.Array(
    Type.Object({
      path,
      resource: ofFile,
      kind: changedPage.kind,
      version: Type.Integer({ description: 'Of the page or file.' }),
    }),
  ),
  left: moveOutcomeSchema.properties.left,
})
