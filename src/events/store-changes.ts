import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../access/caller.ts'
import type { Db } from '../database/database.ts'
import type { EventKind } from './event.ts'

export interface ChangeRow {
  readonly id: string
  readonly kind: EventKind
  readonly transaction_id: string
  readonly seq: number
  readonly at: Date
  /** The slug that the space has now, or had when it was deleted. */
  readonly slug: string
  readonly actor: Actor
  readonly data: Readonly<Record<string, unknown>>
}

/** A place between two events. */
export interface FeedPosition {
  readonly transactionId: string
  readonly seq: number
}

/**
 * Events behind a position, in the order of their transactions. None is shown while an older transaction may still
 * commit, so that whoever goes on from the last one misses nothing. Writers take their locks before they write, so the
 * order is that of the changes of each page.
 */
export async function listChanges(
  db: Db,
  window: {
    readonly after: FeedPosition
    readonly spaces: RawBuilder<unknown>
    /** Whether the ends of spaces are told, which nobody sees any more. */
    readonly ends: boolean
    readonly kinds: readonly EventKind[] | undefined
    readonly limit: number
  },
): Promise<ChangeRow[]> {
  const { after, spaces, ends, kinds, limit } = window
  const { rows } = await sql<ChangeRow>`
    select e.id, e.kind, e.transaction_id::text as transaction_id, e.seq, e.at,
      coalesce(s.slug, e.data ->> 'slug', 'personal') as slug,
      json_build_object('id', c.id, 'name', c.name, 'kind', c.kind) as actor, e.data
    from event e join principal c on c.id = e.actor_id left join space s on s.id = e.space_id
    where (e.transaction_id, e.seq) > (${after.transactionId}::xid8, ${after.seq}::bigint)
      and e.transaction_id < pg_snapshot_xmin(pg_current_snapshot())
      and (e.space_id in ${spaces} ${ends ? sql`or (s.id is null and e.kind = 'space.deleted')` : sql``})
      ${kinds === undefined ? sql`` : sql`and e.kind = any(${kinds}::text[])`}
    order by e.transaction_id, e.seq limit ${limit}`.execute(db)
  return rows
}

/** The place behind everything that is told by now. */
export async function currentPosition(db: Db): Promise<FeedPosition> {
  const { rows } = await sql<{ transaction_id: string }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as transaction_id`.execute(db)
  // Just before that transaction, whatever it will have written.
  return { transactionId: rows[0]?.transaction_id ?? '0', seq: -1 }
}

/** The age of the oldest event that no reader is shown yet, since an older transaction runs; 0 when there is none. */
export async function findHeldBackSeconds(db: Db): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(greatest(extract(epoch from now() - min(at)), 0), 0)::float8 as seconds from event
    where transaction_id >= pg_snapshot_xmin(pg_current_snapshot())`.execute(db)
  return rows[0]?.seconds ?? 0
}
