import pg from 'pg'
import type { DatabaseServer, Target } from '../connections/server.ts'

const PROBE_MS = 2_000

/** The highest timeline of a primary that this process has seen: a promotion begins the next one. */
const seenTimes = new WeakMap<DatabaseServer, number>()

/**
 * The primary; of several the one that was promoted last. One with an older timeline is not: it was frozen or cut off
 * while another took its place, and writes to it would be lost.
 */
export async function primaryAmong(server: DatabaseServer): Promise<Target | undefined> {
  const probes = await Promise.all(
    server.targets.map(async (target) => ({ target, timeline: await readTimeline(server, target) })),
  )
  let best: { readonly target: Target; readonly timeline: number } | undefined
  for (const { target, timeline } of probes) {
    if (timeline === undefined || timeline < (seenTimes.get(server) ?? 0)) continue
    if (!best || timeline > best.timeline) best = { target, timeline }
  }
  if (best) seenTimes.set(server, best.timeline)
  return best?.target
}

/** Undefined if the server is a standby, read-only, or does not respond in time. */
async function readTimeline(server: DatabaseServer, target: Target): Promise<number | undefined> {
  const client = new pg.Client({
    ...server.settings(['statement_timeout=1000'], target),
    application_name: 'recto probe',
    connectionTimeoutMillis: PROBE_MS,
    query_timeout: PROBE_MS,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query(`select case
      when pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on' then null
      else ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int end as timeline`)
    return rows[0].timeline ?? undefined
  } catch (error) {
    // A managed service that hides its log has one primary, and names it.
    return error instanceof pg.DatabaseError && error.code === '0A000' ? 0 : undefined
  } finally {
    client.connection.stream.destroy()
  }
}
