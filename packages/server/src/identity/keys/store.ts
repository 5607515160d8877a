import { type RawBuilder, sql } from 'kysely'
import type { Static } from 'typebox'
import { actorJson } from '../../access/authors.ts'
import type { Caller, Scope } from '../../access/caller.ts'
import { toAccessSubject, visibleSpaces } from '../../access/visibility.ts'
import { andAfter, type Keyset } from '../../platform/database/conditions.ts'
import { type Db, hasRows, queryRow, queryRows } from '../../platform/database/database.ts'
import type { RowFor } from '../../platform/database/rows.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import type { apiKeySchema } from '../principals/admin-schema.ts'

/** How many characters of a key are stored to recognise it. */
export const HINT_LENGTH = 8

export type KeyRow = RowFor<Static<typeof apiKeySchema>>

export interface NewKey extends Pick<Static<typeof apiKeySchema>, 'id' | 'name' | 'hint'> {
  readonly scopes: readonly Scope[]
  readonly principalId: string
  readonly hash: Buffer
  readonly spaceIds: readonly number[] | null
  readonly personal: boolean
  readonly expiresAt: Date | null
  readonly now: Date
  readonly createdBy: string
}

/**
 * Keys with those of their spaces that the caller can read; the personal space of the key's principal has the slug
 * `personal`. A deleted space is omitted, and its key never gives access again.
 */
function keys(actor: Caller): RawBuilder<unknown> {
  return sql`
    select api_key.id, api_key.name, api_key.hint, api_key.scopes, api_key.expires_at, api_key.last_used_at,
      api_key.revoked_at, api_key.created_at,
      ${actorJson('owner')} as principal,
      ${actorJson('creator')} as created_by,
      case when api_key.space_ids is not null then array(
        select coalesce(space.slug, 'personal') from space
        where space.id = any(api_key.space_ids)
          and ((space.owner_id = api_key.principal_id and api_key.personal)
            or (space.kind = 'shared' and space.id in ${visibleSpaces(toAccessSubject(actor))}))
        order by 1) end as spaces
    from api_key join principal owner on owner.id = api_key.principal_id
    join principal creator on creator.id = api_key.created_by`
}

/** One key, of one principal if `ownerId` is present. */
export async function findKey(
  db: Db,
  actor: Caller,
  id: string,
  ownerId: string | undefined,
): Promise<KeyRow | undefined> {
  return queryRow<KeyRow>(db)`${keys(actor)}
    where api_key.id = ${id} ${ownerId === undefined ? sql`` : sql`and api_key.principal_id = ${ownerId}`}`
}

/** Keys in the order of creation. */
export async function listKeys(
  db: Db,
  actor: Caller,
  window: Keyset & {
    readonly principal: string | undefined
    /** Nothing but this key; null: none. */
    readonly only: string | null | undefined
    readonly includeRevoked: boolean
    /** A part of the name or the beginning of the key, or of the name of its owner. */
    readonly name: string
  },
): Promise<KeyRow[]> {
  return queryRows<KeyRow>(db)`${keys(actor)}
    where ${window.includeRevoked ? sql`true` : sql`api_key.revoked_at is null`}
      ${window.principal === undefined ? sql`` : sql`and api_key.principal_id = ${window.principal}`}
      ${window.only === undefined ? sql`` : sql`and api_key.id = ${window.only}`}
      and position(lower(${window.name}) in lower(concat_ws(' ', api_key.name, api_key.hint, owner.name))) > 0
      ${andAfter(sql`api_key.id`, window)}
    order by api_key.id limit ${window.limit}`
}

/** Inserts a key; false if an earlier attempt of the same transaction did. */
export async function insertKey(tx: Pick<Tx, 'db'>, key: NewKey): Promise<boolean> {
  return hasRows(tx.db)`
    insert into api_key (id, principal_id, name, hash, hint, scopes, space_ids, personal, expires_at, created_at,
      created_by)
    values (${key.id}, ${key.principalId}, ${key.name}, ${key.hash}, ${key.hint}, ${key.scopes}, ${key.spaceIds},
      ${key.personal}, ${key.expiresAt},
      ${key.now}, ${key.createdBy})
    on conflict (id) do nothing returning 1`
}

/** Revokes a key; false if it was already revoked. */
export async function revokeKey(tx: Pick<Tx, 'db'>, id: string, now: Date): Promise<boolean> {
  return hasRows(tx.db)`
    update api_key set revoked_at = ${now} where id = ${id} and revoked_at is null returning 1`
}
