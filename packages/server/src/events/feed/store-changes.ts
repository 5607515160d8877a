import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../access/caller.ts'
import { viaName } from '../../access/via.ts'
import { type AccessSubject, isVisible, memberJoin, rankIn, readableSince } from '../../access/visibility.ts'
import { type Db, queryRows, queryValue } from '../../platform/database/database.ts'
import type { EventKind } from './event.ts'

export interface ChangeRow {
  readonly id: string
  readonly kind: EventKind
  readonly transaction_id: string
  readonly seq: number
  readonly at: Date
  /** The current slug of the space, or the last one before it was deleted. */
  readonly slug: string
  readonly actor: Actor
  readonly data: Readonly<Record<string, unknown>>
  /** The present slug of the other space of a move; null if there is none, or if the reader may not know it. */
  readonly other_slug: string | null
  readonly other_path: string | null
}

/** A position between two events. */
export interface FeedPosition {
  readonly transactionId: string
  readonly seq: number
}

/** An event as read for all followers, with what decides who can see it. */
export interface FeedRow extends ChangeRow {
  readonly space_id: number
  readonly other_space_id: number | null
  /** Whether the space was deleted. */
  readonly ended: boolean
}

const columns = sql`event.id, event.kind, event.seq, event.at,
  coalesce(space.slug, event.data ->> 'slug', 'personal') as slug,
  json_strip_nulls(json_build_object('id', actor.id, 'name', actor.name, 'kind', actor.kind, 'via',
    ${viaName('event.via')})) as actor, event.other_path,
  case when event.kind = 'space.created' and space.name is not null
    then event.data || jsonb_build_object('name', space.name) else event.data end as data`
const from = sql`event join principal actor on actor.id = event.actor_id left join space on space.id = event.space_id
  left join space other on other.id = event.other_space_id`
const otherSlug = sql`case when other.id is not null then coalesce(other.slug, 'personal') end`

/**
 * The oldest transaction that the feed waits for (the visibility horizon). It depends on the snapshot and on which
 * transactions still run, so that a statement must evaluate it only once: in a subquery of its own.
 */
const horizon = sql<string>`(select feed_horizon())`

/** The condition of events after a position that no transaction from the horizon on can precede. */
export function isSettledAfter(after: FeedPosition, horizon: RawBuilder<string>): RawBuilder<boolean> {
  return sql`(event.transaction_id, event.seq) > (${after.transactionId}::xid8, ${after.seq}::bigint)
    and event.transaction_id < ${horizon}`
}

/** The path of the page or file of an event; null if it is about a space. */
const path = sql<string | null>`(event.data ->> 'path')`

/** The time since which the reader can read a space; null: they cannot. */
function sinceIn(id: RawBuilder<unknown>, subject: AccessSubject): RawBuilder<Date | null> {
  return sql`(select ${readableSince(subject)} from space ${memberJoin(subject)}
    where space.id = ${id} and ${rankIn(subject)} >= 1)`
}

/**
 * Whether the space itself still shows what an event tells. Those who can read a space since a later time are told
 * nothing else of the time before: no page or file that is gone for good, no former path, no former slug. At the
 * path of a file there may have been another one, with lower versions.
 */
const isStillTrue = sql<boolean>`case
  when event.page_id is not null then exists (select from page
    where page.space_id = event.space_id and page.id = event.page_id and page.path = ${path} collate "C")
  when event.kind like 'file.%' then exists (select from file_address address
    join file_version version on version.space_id = address.space_id and version.file_id = address.file_id
    where address.space_id = event.space_id and address.path = ${path} collate "C"
      and version.digest = decode(event.data ->> 'digest', 'hex')
      and version.version <= (event.data ->> 'version')::int)
  else event.kind = 'space.created' end`

/**
 * Events after a position, in the order of their transactions. None is returned while an older transaction may still
 * commit, so that a reader who continues after the last one misses nothing. Writers take their locks before they
 * write, so that this is also the order of the changes of each page.
 */
export async function listChanges(
  db: Db,
  window: {
    readonly after: FeedPosition
    /** The reader. */
    readonly subject: AccessSubject
    readonly spaces: RawBuilder<unknown>
    /** Whether these are one space, of which moves to others are told, too. */
    readonly isOneSpace: boolean
    /** Whether to include events of deleted spaces, which are not visible to anybody. */
    readonly ends: boolean
    readonly kinds: readonly EventKind[] | undefined
    /** Events before this time are left out. */
    readonly from: Date | undefined
    readonly limit: number
  },
): Promise<ChangeRow[]> {
  const { after, subject, spaces, isOneSpace, ends, kinds, from: earliest, limit } = window
  return queryRows<ChangeRow>(db)`
    select ${columns}, case when seen.other then ${otherSlug} end as other_slug,
      event.transaction_id::text as transaction_id
    from ${from}
    cross join lateral (
      select case when event.other_space_id is null then false
        else coalesce(event.at >= ${sinceIn(sql`event.other_space_id`, subject)}, false)
          and ${isVisible(subject, 'event.other_space_id', 'event.other_path')} end as other offset 0
    ) seen
    where ${isSettledAfter(after, horizon)}
      and (event.space_id in ${spaces} and ${isVisible(subject, 'event.space_id', path)} and (${isStillTrue}
        or event.at >= ${sinceIn(sql`event.space_id`, subject)})
        ${ends ? sql`or (space.id is null and event.kind = 'space.deleted')` : sql``})
      and (event.thread_id is null or event.other_space_id is null or seen.other)
      and not (seen.other and event.kind like
        '%.deleted'${isOneSpace ? sql` and event.other_space_id = event.space_id` : sql``})
      ${
        kinds === undefined
          ? sql``
          : sql`and case when seen.other then replace(event.kind, '.deleted', '.moved')
            else event.kind end = any(${kinds}::text[])`
      }
      ${earliest === undefined ? sql`` : sql`and event.at >= ${earliest}`}
    order by event.transaction_id, event.seq limit ${limit}`
}

/** The visible events after a position, and the next position: after everything that could be read by now. */
export async function listFeed(
  db: Db,
  after: FeedPosition,
  limit: number,
): Promise<{ readonly rows: FeedRow[]; readonly end: FeedPosition }> {
  // The row of the horizon exists without events as well.
  const rows = await queryRows<{ horizon: string } & ({ id: null } | FeedRow)>(db)`
    with horizon as materialized (select feed_horizon() as id)
    select horizon.id::text as horizon, found.*, found.xid::text as transaction_id
    from horizon left join lateral (
      select ${columns}, event.transaction_id as xid, event.space_id, event.other_space_id, ${otherSlug} as other_slug,
        space.id is null as ended from ${from}
      where ${isSettledAfter(after, sql`horizon.id`)} order by event.transaction_id, event.seq limit ${limit}
    ) found on true order by found.xid, found.seq`
  const feedRows = rows.filter((row) => row.id !== null)
  const last = feedRows.length === limit ? feedRows.at(-1) : undefined
  const end = last ?? { transaction_id: rows[0]?.horizon ?? after.transactionId, seq: -1 }
  return { rows: feedRows, end: { transactionId: end.transaction_id, seq: end.seq } }
}

/** Whether an event is after a position. */
export function isAfterPosition(row: Pick<ChangeRow, 'transaction_id' | 'seq'>, position: FeedPosition): boolean {
  if (row.transaction_id === position.transactionId) return row.seq > position.seq
  return BigInt(row.transaction_id) > BigInt(position.transactionId)
}

/** The position after everything that readers get by now. */
export async function currentPosition(db: Db): Promise<FeedPosition> {
  const rows = await queryRows<{ id: string }>(db)`select ${horizon}::text as id`
  // Just before that transaction, whatever it will have written.
  return { transactionId: rows[0]?.id ?? '0', seq: -1 }
}

/** The last event before a time. It reads `event_order` from its end: as many entries as there are later events. */
export async function findLastBefore(db: Db, time: Date): Promise<FeedPosition | undefined> {
  const rows = await queryRows<{ transaction_id: string; seq: number }>(db)`
    select transaction_id::text as transaction_id, seq from event where at < ${time}
    order by event.transaction_id desc, event.seq desc limit 1`
  return rows[0] && { transactionId: rows[0].transaction_id, seq: rows[0].seq }
}

/** The age of the oldest event that is held back, since an older transaction runs; 0 if there is none. */
export async function findHeldBackSeconds(db: Db): Promise<number> {
  // The lower bound, which is known when the statement is planned, makes the planner use the index.
  return queryValue(db, 0)`
    select coalesce(greatest(extract(epoch from now() - min(at)), 0), 0)::float8 as seconds from event
    where transaction_id >= shifted(pg_snapshot_xmin(pg_current_snapshot()))
      and transaction_id >= ${horizon}`
}
