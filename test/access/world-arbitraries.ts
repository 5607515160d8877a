import { fc } from '../support/property.ts'
import type { GroupMove, Move, Seed, SlugMove } from './world.ts'

const index = fc.nat({ max: 20 })
const memberMove = fc.record({
  space: index,
  person: index,
  role: fc.constantFrom('viewer', 'editor', 'admin', undefined),
} as const)
const groupMoves: fc.Arbitrary<GroupMove> = fc.oneof(
  memberMove.map(({ person: group, ...move }) => ({ kind: 'groupRole' as const, group, ...move })),
  fc.record({
    kind: fc.constant('groupMember' as const),
    group: index,
    person: index,
    in: fc.constantFrom(true, true, false),
  }),
  fc.record({ kind: fc.constant('groupEnd' as const), group: index }),
)
const visibility = fc.constantFrom('org', 'private', 'private', 'public')
const defaultRole = fc.constantFrom('viewer', 'editor')
const role = fc.constantFrom('admin', 'member', 'member', 'member')
export const seeds: fc.Arbitrary<Seed> = fc.record({
  people: fc.array(fc.record({ kind: fc.constantFrom('human', 'agent'), role }), { minLength: 3, maxLength: 4 }),
  spaces: fc.array(fc.record({ visibility, defaultRole }), { minLength: 3, maxLength: 3 }),
  members: fc.array(memberMove, { minLength: 2, maxLength: 6 }),
  groups: fc.array(groupMoves, { minLength: 4, maxLength: 8 }),
  keys: fc.array(
    fc.record({
      owner: index,
      scope: fc.constantFrom('read', 'propose', 'write', 'admin', 'admin'),
      spaces: fc.option(fc.array(index, { maxLength: 2 }), { nil: undefined }),
      personal: fc.boolean(),
    }),
    { minLength: 6, maxLength: 8 },
  ),
})
const reused = fc.option(index, { nil: undefined })
export const slugMoves: fc.Arbitrary<SlugMove> = fc.oneof(
  fc.record({ kind: fc.constant('rename' as const), space: index, to: reused }),
  fc.record({ kind: fc.constant('remake' as const), to: reused, visibility, defaultRole }),
  fc.record({ kind: fc.constant('end' as const), space: index }),
)
export const moves: fc.Arbitrary<Move> = fc.oneof(
  { weight: 2, arbitrary: groupMoves },
  memberMove.map((move) => ({ kind: 'member' as const, ...move })),
  fc.record({ kind: fc.constant('visibility' as const), space: index, to: visibility }),
  fc.record({ kind: fc.constantFrom('publicMetadata' as const, 'shares' as const), space: index, to: fc.boolean() }),
  fc.record({
    kind: fc.constant('shareEnd' as const),
    share: index,
    to: fc.constantFrom('revoked' as const, 'expired' as const),
  }),
  fc.record({ kind: fc.constant('defaultRole' as const), space: index, to: defaultRole }),
  fc.record({ kind: fc.constant('role' as const), person: index, to: role }),
  fc.record({ kind: fc.constant('disabled' as const), person: index, to: fc.boolean() }),
  fc.record({ kind: fc.constant('revoke' as const), key: index }),
)
