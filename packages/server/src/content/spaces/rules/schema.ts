import { type Static, type TSchema, Type } from 'typebox'
import { actorSchema, timeSchema } from '../../../access/schema.ts'
import {
  enumSchema,
  nullable,
  pagingParameters,
  strictObject,
  text,
  uuidSchema,
} from '../../../platform/http/schemas.ts'

/** How many a list of a rule names at most. */
export const MAX_LISTED = 500
const id = Type.String({ description: 'An id (UUID).' })
const inherit = Type.Literal('inherit')
const guestRole = enumSchema(['viewer', 'editor'])

function list<T extends TSchema>(item: T, description: string) {
  return Type.Union([inherit, Type.Array(item, { maxItems: MAX_LISTED })], { description })
}

const listedId = strictObject(
  { principal: Type.Optional(id), group: Type.Optional(id) },
  { minProperties: 1, maxProperties: 1 },
)
const READ = 'Who reads besides the admins of the space; `inherit`: as the next rule above says, at last the space.'
const WRITE = 'Who writes, and so reads, as far as their roles in the space allow; `inherit`: as above.'

export const setRuleSchema = strictObject({
  read: list(listedId, READ),
  write: list(listedId, WRITE),
  guests: Type.Optional(
    Type.Array(strictObject({ principal: id, role: guestRole }), {
      maxItems: MAX_LISTED,
      description: 'Guests who have access to this folder, beside all others.',
    }),
  ),
})
export type SetRule = Static<typeof setRuleSchema>

const listedSchema = Type.Object({
  principal: Type.Optional(actorSchema),
  group: Type.Optional(Type.Object({ id, name: Type.String() })),
})

export const ruleSchema = Type.Object({
  prefix: Type.String({ description: 'The rule covers the page and the file of this path, and all below it.' }),
  read: list(listedSchema, READ),
  write: list(listedSchema, WRITE),
  guests: Type.Array(Type.Object({ principal: actorSchema, role: guestRole })),
  createdAt: timeSchema,
  createdBy: actorSchema,
  updatedAt: timeSchema,
  updatedBy: actorSchema,
})
export type Rule = Static<typeof ruleSchema>

const MAX_NAMES = 100
const someSchema = Type.Object({
  count: Type.Integer(),
  principals: Type.Array(actorSchema, { maxItems: MAX_NAMES, description: 'The first of them by name.' }),
})
const readersChangeSchema = Type.Object({
  gains: someSchema,
  loses: someSchema,
  revisions: Type.Integer({ description: 'How many revisions become readable for those who gain.' }),
})
export type ReadersChange = Static<typeof readersChangeSchema>

/** A rule after a change, or before one: then it says who gains and who loses. */
export const changedRuleSchema = Type.Object({
  ...ruleSchema.properties,
  dryRun: Type.Optional(Type.Literal(true)),
  readers: readersChangeSchema,
})

export const ruleQuery = strictObject({
  dryRun: Type.Optional(Type.Boolean({ description: 'Change nothing, and say who would gain and who would lose.' })),
})

export const removedRuleSchema = Type.Object({
  dryRun: Type.Optional(Type.Literal(true)),
  readers: readersChangeSchema,
})

export const ruleParams = Type.Object({
  space: Type.String({ description: 'Slug of the space.' }),
  prefix: Type.String({ description: 'Path of the folder: segments joined by `/` or `%2F`.' }),
})

/** The first names of a list, and how many there are. */
export function toSome<P>(principals: readonly P[]): { count: number; principals: P[] } {
  return { count: principals.length, principals: principals.slice(0, MAX_NAMES) }
}

const roleSchema = enumSchema(['viewer', 'editor', 'admin'])

export const readerSchema = Type.Object({ principal: actorSchema, guest: Type.Boolean(), role: roleSchema })

const placeParameters = {
  path: Type.Optional(
    text({
      minLength: 1,
      maxLength: 1024,
      description: 'Of a page, file or folder; absent: the space without its rules.',
    }),
  ),
}

export const readersQuery = strictObject({
  ...pagingParameters,
  ...placeParameters,
  name: Type.Optional(Type.String({ maxLength: 200, description: 'Only those whose names contain it.' })),
  principal: Type.Optional(
    Type.Array(uuidSchema, { maxItems: 50, description: 'Only these people and agents, by their ids.' }),
  ),
})

export const accessQuery = strictObject({
  principal: Type.String({ description: 'Id of the principal.' }),
  space: Type.String({ description: 'Slug of a shared space.' }),
  ...placeParameters,
})

export const accessSchema = Type.Object({
  principal: actorSchema,
  guest: Type.Boolean(),
  role: nullable(roleSchema, 'What the principal may do there with an unlimited key; null: nothing.'),
  decidedBy: Type.Object({
    by: enumSchema(
      ['disabled', 'organisation-role', 'member', 'group', 'visibility', 'guest', 'folder-rule'],
      'The row that decides: the account is disabled; the role in the organisation; the membership, ' +
        'or that of a group; the visibility of the space; that guests need a membership; the nearest folder rule.',
    ),
    spaceRole: Type.Optional(nullable(roleSchema, 'The role in the space, without folder rules.')),
    prefix: Type.Optional(Type.String({ description: 'The folder of the rule.' })),
    group: Type.Optional(Type.Object({ id, name: Type.String() })),
    visibility: Type.Optional(enumSchema(['org', 'private', 'public'])),
  }),
})
