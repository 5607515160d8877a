import type { EmbeddedServer } from '../embedded/server.ts'
import type { Heartbeat } from './heartbeat.ts'

/** Why the database cannot be used now; undefined: it can. */
export async function notReady(
  heartbeat: Heartbeat,
  embedded: EmbeddedServer | undefined,
): Promise<string | undefined> {
  const state = embedded?.state()
  if (state && !state.up) return `The database is down: ${state.reason}`
  return heartbeat.notReady()
}
