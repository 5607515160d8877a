import { sql } from 'kysely'
import { registerStatement } from '../connections/registry.ts'
import type { Reader, WriteDb } from '../database.ts'

/** The position that a replica must have replayed to have everything that was committed at the time of the query. */
export interface ReplayPosition {
  readonly lsn: string
  readonly timeline: string
  /** Absent: no node has marked this timeline yet. */
  readonly token: string | null
}

const NAME = 'read_position'
const TEXT = `select wal.lsn, wal.timeline, timeline.token
  from (select pg_current_wal_flush_lsn()::text as lsn,
    left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) as timeline) wal
  left join timeline on timeline.id = wal.timeline`
registerStatement(TEXT, NAME, 'read')

/**
 * Reads the primary's position: the read index of Raft (Ongaro 2014, 6.4). A replica that has replayed up to this
 * position responds as the primary would. One query serves all reads that came before it was sent. Undefined if the
 * primary does not respond.
 */
export function createReadIndex(primary: Reader): () => Promise<ReplayPosition | undefined> {
  let pending: Promise<unknown> | undefined
  let next: Promise<ReplayPosition | undefined> | undefined

  async function query(): Promise<ReplayPosition | undefined> {
    const rows = await primary.read({ name: NAME, text: TEXT, values: [] })
    return rows?.[0] as ReplayPosition | undefined // as the statement declares
  }

  return () => {
    next ??= (async () => {
      await pending // a query in progress may be older than the caller's last write
      next = undefined
      const position = query().catch(() => undefined) // the read itself then reports the error
      pending = position
      return position
    })()
    return next
  }
}

/** Marks the timeline of the primary: from now on its replicas can be identified. */
export async function markTimeline(db: WriteDb): Promise<void> {
  await sql`insert into timeline (id, token)
    values (left(pg_walfile_name(pg_current_wal_insert_lsn()), 8), gen_random_uuid())
    on conflict (id) do nothing`.execute(db)
}
