import { LANGUAGES } from '@recto/lib/languages.ts'
import { type Static, Type } from 'typebox'
import { actorSchema, authorSchema, timeSchema } from '../../access/schema.ts'
import { MAX_EMAIL_LENGTH } from '../../identity/principals/email.ts'
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

const visibility = enumSchema(
  ['org', 'private', 'public'],
  '`org`: every principal reads. `private`: members only. `public`: ' +
    'everybody reads, also without an account where `SVC_PUBLIC_SPACES` is on.',
)
const publicMetadata = Type.Boolean({
  description:
    'Whether callers without an account read metadata, and find pages by it, while the space is public; ' +
    'if not, its words are in nobody’s full-text search.',
})
const defaultRole = enumSchema(
  ['viewer', 'editor'],
  'The access of people who are not members of an `org` space; agents are viewers.',
)
const accessRequests = Type.Boolean({
  description: 'Whether people without access may ask for it; false in a personal space.',
})
const language = enumSchema(
  LANGUAGES,
  'The language of the pages (ISO 639-1), by whose stems search finds words. A page may name its own: ' +
    '`lang` in its front matter. `none`: words as they are written, such as those of code.',
)
const name = line({ minLength: 1, maxLength: 200 })
const description = lines({ maxLength: 2000 })
const icon = nullable(Type.String({ maxLength: 64 }), 'One emoji, shown before the name; null: none.')
const shares = Type.Boolean({ description: 'Whether editors may make share links of its pages, and those work.' })
const slug = Type.String({ description: 'Lower-case letters, digits and single hyphens; at most 64 characters.' })

const proposals = enumSchema(
  ['readers', 'editors', 'off'],
  'Who may open change requests: all readers with an account, editors only, or nobody.',
)
const comments = enumSchema(
  ['readers', 'editors', 'off'],
  'Who may comment: all readers with an account, editors only, or nobody.',
)
const ids = Type.Array(uuidSchema, { maxItems: 50 })
const reviewFields = {
  people: enumSchema(['direct', 'required'], 'Whether what people change counts at once, or is reviewed first.'),
  agents: enumSchema(['direct', 'required'], 'The same for agents, and for what people change through apps.'),
  keys: enumSchema(['people', 'agents'], 'As whose changes those by a person’s own API key count.'),
  approvals: Type.Integer({ minimum: 0, maximum: 5, description: 'Editors who have to approve each change.' }),
  owners: Type.Array(
    strictObject({
      path: text({ minLength: 1, maxLength: 200, description: 'A pattern as in a CODEOWNERS file.' }),
      principals: ids,
      groups: ids,
    }),
    {
      maxItems: 50,
      description:
        'Of whom one has to approve the changes of these pages; the last pattern that matches counts. ' +
        'Absent for all but admins of the space.',
    },
  ),
  checks: Type.Array(Type.String(), { description: 'The names of checks that have to be passed.' }),
}
const review = Type.Object(
  { ...reviewFields, owners: Type.Optional(reviewFields.owners) },
  { description: 'Whose changes are reviewed first, and what has to be there before a change request is merged.' },
)
/** What a merge into a space needs. */
export type ReviewRules = Required<Static<typeof review>>

export const spaceSchema = Type.Object({
  slug: Type.String(),
  name: Type.String(),
  description: Type.String(),
  kind: enumSchema(['shared', 'personal']),
  visibility,
  publicMetadata,
  defaultRole: Type.Optional(defaultRole),
  accessRequests: Type.Optional(accessRequests),
  language,
  icon,
  shares: Type.Optional(shares),
  proposals: Type.Optional(proposals),
  comments: Type.Optional(comments),
  review: Type.Optional(review),
  role: enumSchema(['viewer', 'editor', 'admin'], 'What the caller may do here.'),
  createdAt: timeSchema,
  createdBy: authorSchema,
  updatedAt: timeSchema,
})
type SpaceMembers = Static<typeof spaceSchema>
/** A space; callers without an account are not told what they cannot do there. */
export type Space = SpaceMembers &
  Required<Pick<SpaceMembers, 'defaultRole' | 'accessRequests' | 'shares' | 'proposals' | 'comments' | 'review'>>

/** What can be set when a space is created, and changed later. */
const settings = optional({ name, description, visibility, publicMetadata, defaultRole, language, icon })

export const opensSchema = nullable(
  Type.Object({
    people: Type.Integer({
      description: 'People and agents who cannot read it now; those without an account are not counted.',
    }),
    revisions: Type.Integer(),
    metadataChanges: Type.Integer(),
    comments: Type.Integer(),
  }),
  'What a move or another visibility shows to those who cannot read it before, old revisions included; null: nothing.',
)
export type Opens = NonNullable<Static<typeof opensSchema>>

export const updateSpaceQuery = strictObject({
  dryRun: Type.Optional(Type.Boolean({ description: 'Change nothing, and say in `opens` what it would show.' })),
})

/** A changed space; in a dry run what it would be. */
export const changedSpaceSchema = Type.Object({
  ...spaceSchema.properties,
  dryRun: Type.Optional(Type.Literal(true)),
  opens: Type.Optional(opensSchema),
})

export const createSpaceSchema = strictObject({ slug, ...settings })
export type CreateSpace = Static<typeof createSpaceSchema>

const updateReviewSchema = strictObject(
  optional({
    ...reviewFields,
    checks: Type.Array(line({ minLength: 1, maxLength: 100 }), { maxItems: 20, uniqueItems: true }),
  }),
  { description: 'Changed by an admin who is signed in with a browser; what is absent stays.' },
)

export const updateSpaceSchema = strictObject(
  {
    ...optional({ slug, accessRequests }),
    ...settings,
    ...optional({ shares, proposals, comments, review: updateReviewSchema }),
  },
  { minProperties: 1 },
)
export type UpdateSpace = Static<typeof updateSpaceSchema>

const role = enumSchema(['viewer', 'editor', 'admin'])

export const memberSchema = Type.Object({ principal: actorSchema, role, createdAt: timeSchema })
/** The role of a principal in a space. */
export type Member = Static<typeof memberSchema>

export const candidateSchema = Type.Object({
  principal: actorSchema,
  role: nullable(role, 'The role as a member; null for others.'),
  match: enumSchema(['name', 'email'], 'What was found: anybody may be called like the address of somebody else.'),
})

export const candidateQuery = strictObject({
  ...pagingParameters,
  name: text({
    minLength: 1,
    maxLength: MAX_EMAIL_LENGTH,
    description: 'Part of the name, or the whole e-mail address; letter case does not count.',
  }),
})

export const spaceGroupSchema = Type.Object({
  group: Type.Object({ id: Type.String({ format: 'uuid' }), name: Type.String() }),
  role,
  createdAt: timeSchema,
})
/** The role of a group in a space: each of its members has at least this one. */
export type SpaceGroup = Static<typeof spaceGroupSchema>

export const setMemberSchema = strictObject({ role })

export const deleteSpaceQuery = strictObject({
  force: Type.Optional(Type.Boolean({ description: 'Also delete its pages; only for organisation admins.' })),
})
