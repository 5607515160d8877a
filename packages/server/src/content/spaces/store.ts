import { type RawBuilder, sql } from 'kysely'
import { actorJson } from '../../access/authors.ts'
import type { Actor, Caller, Rank } from '../../access/caller.ts'
import { addressed, memberJoin, rankIn, toAccessSubject, toSpaceAddress } from '../../access/visibility.ts'
import { andAfter, type Keyset } from '../../platform/database/conditions.ts'
import { type Db, queryRow, queryRows, queryValue } from '../../platform/database/database.ts'
import type { RowFor } from '../../platform/database/rows.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import type { ReviewRules, Space } from './schema.ts'

export interface SpaceRow extends RowFor<Omit<Space, 'createdBy' | 'review' | 'role'>> {
  readonly id: number
  readonly created_by: Actor
  readonly review: Partial<ReviewRules>
  readonly rank: Rank
}

/** Spaces with the caller's rank in each. */
function spaces(actor: Caller): RawBuilder<unknown> {
  const subject = toAccessSubject(actor)
  return sql`
    select space.id, coalesce(space.slug, 'personal') as slug, space.name, space.description, space.kind,
      space.visibility, space.public_metadata, space.default_role, space.access_requests, space.language, space.icon,
      space.shares, space.proposals, space.comments, space.review,
      ${rankIn(subject)} as rank, space.created_at, ${actorJson('creator')} as created_by, space.updated_at
    from space ${memberJoin(subject)} join principal creator on creator.id = space.created_by`
}

/** A space by slug, whatever the caller's rank there. */
export async function findSpace(db: Db, actor: Caller, slug: string): Promise<SpaceRow | undefined> {
  const where = addressed(toSpaceAddress(slug), toAccessSubject(actor), slug)
  return queryRow<SpaceRow>(db)`${spaces(actor)} where ${where}`
}

/** A space by its id, whatever the caller's rank there. */
export async function findSpaceById(db: Db, actor: Caller, id: number): Promise<SpaceRow | undefined> {
  return queryRow<SpaceRow>(db)`${spaces(actor)} where space.id = ${id}`
}

/** The spaces that the caller can read, in the order of their slugs. */
export async function listSpaces(db: Db, actor: Caller, window: Keyset, name: string): Promise<SpaceRow[]> {
  return queryRows<SpaceRow>(db)`
    select * from (${spaces(actor)}) as seen
    where rank >= 1 and position(lower(${name}) in lower(name || ' ' || slug)) > 0
      ${andAfter(sql`slug collate "C"`, window)}
    order by slug collate "C" limit ${window.limit}`
}

type SpaceSettings = Pick<Space, 'name' | 'description' | 'visibility' | 'publicMetadata' | 'defaultRole' | 'language'>

export interface NewSpace extends SpaceSettings, Pick<Space, 'slug' | 'icon'> {
  readonly creatorId: string
  readonly now: Date
}

/** Creates a shared space with its creator as admin; undefined if the slug is in use. */
export async function insertSpace(tx: Tx, space: NewSpace): Promise<number | undefined> {
  const rows = await queryRows<{ id: number }>(tx.db)`
    insert into space (slug, kind, name, description, visibility, public_metadata, default_role, language, icon,
      created_at, created_by, updated_at)
    values (${space.slug}, 'shared', ${space.name}, ${space.description}, ${space.visibility}, ${space.publicMetadata},
      ${space.defaultRole}, ${space.language}, ${space.icon},
      ${space.now}, ${space.creatorId}, ${space.now})
    on conflict (slug) do nothing returning id`
  const id = rows[0]?.id
  if (id === undefined) return undefined
  await sql`insert into space_member (space_id, principal_id, role, created_at)
    values (${id}, ${space.creatorId}, 'admin', ${space.now})`.execute(tx.db)
  return id
}

/** The space of this slug, if this principal created it at exactly this time. */
export async function findMade(tx: Tx, space: Pick<NewSpace, 'slug' | 'creatorId' | 'now'>) {
  return queryValue<number | undefined>(tx.db, undefined)`select id from space
    where slug = ${space.slug}
      and created_by = ${space.creatorId} and created_at = ${space.now}`
}

/** Locks a space against other changes until the transaction ends, and not against writes of its pages. */
export async function lockForChange(tx: Pick<Tx, 'db'>, id: number): Promise<void> {
  await sql`select 1 from space where id = ${id} for no key update`.execute(tx.db)
}

/** Updates the given columns. */
export async function updateSpace(
  tx: Tx,
  id: number,
  change: Partial<Omit<SpaceRow, 'review'>> & {
    readonly review?: ReviewRules
    readonly opened_at?: Date
    readonly updated_at: Date
  },
): Promise<void> {
  const sets = Object.entries(change).map(([name, value]) => sql`${sql.ref(name)} = ${value}`)
  await sql`update space set ${sql.join(sets)} where id = ${id}`.execute(tx.db)
}

/** Requests that all pages of a space are indexed again in the background; from the start if that is in progress. */
export async function noteReindexing(tx: Pick<Tx, 'db'>, spaceId: number): Promise<void> {
  await sql`
    insert into reindexing (space_id) values (${spaceId})
    on conflict (space_id) do update
    set page_id = 0, horizon = null, fence = reindexing.fence + 1`.execute(tx.db)
}
