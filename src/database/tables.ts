import type { ColumnType, Generated } from 'kysely'

type Time = Date
/** A column that is never updated. */
type Fixed<T> = ColumnType<T, T, never>

interface PrincipalTable {
  readonly id: Fixed<string>
  name: string
  readonly kind: Fixed<'human' | 'agent'>
  role: 'admin' | 'member'
  email: string | null
  disabled_at: Time | null
  readonly created_at: Fixed<Time>
}

interface ApiKeyTable {
  readonly id: Fixed<string>
  readonly principal_id: Fixed<string>
  name: string
  readonly hash: Fixed<Buffer>
  readonly hint: Fixed<string>
  readonly scopes: Fixed<string[]>
  readonly space_ids: Fixed<number[] | null>
  expires_at: Time | null
  last_used_at: Time | null
  revoked_at: Time | null
  readonly created_at: Fixed<Time>
  readonly created_by: Fixed<string>
}

interface SpaceTable {
  readonly id: Generated<number>
  slug: string | null
  readonly kind: Fixed<'shared' | 'personal'>
  name: string
  description: string
  visibility: 'org' | 'private'
  default_role: 'viewer' | 'editor'
  language: Generated<string>
  icon: Generated<string | null>
  readonly owner_id: Fixed<string | null>
  readonly created_at: Fixed<Time>
  readonly created_by: Fixed<string>
  updated_at: Time
}

interface SpaceMemberTable {
  readonly space_id: Fixed<number>
  readonly principal_id: Fixed<string>
  role: 'viewer' | 'editor' | 'admin'
  readonly created_at: Fixed<Time>
}

/** Tables that are used through the query builder; the others have their statements in `store.ts` files. */
export interface Tables {
  readonly principal: PrincipalTable
  readonly api_key: ApiKeyTable
  readonly space: SpaceTable
  readonly space_member: SpaceMemberTable
}
