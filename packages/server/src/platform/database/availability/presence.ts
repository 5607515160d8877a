import { randomInt } from 'node:crypto'
import { sql } from 'kysely'
import type pg from 'pg'

/** Failure detection by a session-level advisory lock: the server frees it as soon as its process dies. */
export interface Presence {
  /** The number of this node while it holds its lock; undefined while other nodes cannot detect it. */
  readonly node: number | undefined
  /** Acquires the lock on this connection, which stays open as long as the node lives. */
  announce(client: pg.Client): Promise<void>
}

/** The first half of the locks' keys; any number that no other lock of this database uses. */
const LOCK_CLASS = 7_202_612

export function createPresence(): Presence {
  const number = randomInt(1, 2 ** 31 - 1)
  let holder: pg.Client | undefined
  let pooledClient: pg.Client | undefined
  return {
    get node() {
      return holder && number
    },
    async announce(client) {
      if (client === holder || client === pooledClient) return
      const { rows } = await client.query(
        `select case when pg_backend_pid() = $1 then pg_try_advisory_lock($2, $3) end as held`,
        [processId(client), LOCK_CLASS, number],
      )
      // With a pooler the lock would belong to a session that outlives this process.
      if (rows[0].held === null) pooledClient = client
      // The previous session may not be over yet: the next call tries again.
      if (!rows[0].held) return
      holder = client
      client.once('end', () => {
        if (holder === client) holder = undefined
      })
    },
  }
}

/** The process id of the backend, as reported when connecting; a pooler reports one of its own. */
function processId(client: pg.Client): number | null {
  return (client as unknown as { readonly processID: number | null }).processID // its types leave it out
}

/** The numbers of all nodes that hold their locks. */
export const presentNodes = sql<{ node: number }>`
  select objid::bigint::integer as node from pg_locks
  where locktype = 'advisory' and classid = ${sql.lit(LOCK_CLASS)}::bigint::oid and objsubid = 2 and granted
    and database = (select oid from pg_database where datname = current_database())`
