import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { inTransaction } from '../../database/transaction.ts'
import { uuid7 } from '../../lib/encoding/uuid7.ts'
import type { Runtime } from '../ctx.ts'

/** Failed API authentications of one address within one minute. */
interface Failures {
  readonly id: string
  /** Absent: of all addresses beyond the limit. */
  readonly address: string | undefined
  readonly period: number
  readonly first: Date
  last: Date
  count: number
  throttled: number
}

/** Counts failed API authentications by address and minute, and writes the counts to the audit log. */
export interface FailedAuthentications extends AsyncDisposable {
  /** Never waits. `throttled`: the key was not looked up, because the address has failed too often. */
  add(address: string, outcome: { readonly throttled: boolean }): void
}

type Deps = Pick<Runtime, 'db' | 'log' | 'now'>

const MINUTE_MS = 60_000
/** The number of addresses per minute; further ones share one entry. */
export const MAX_ADDRESSES = 1_000
/** Retained while the database is unavailable. */
const MAX_UNWRITTEN = 5_000

/**
 * Aggregation in the memory of this process: guessing keys causes one audit entry per minute instead of one per
 * request, and no request waits for it. Written at the end of each minute and at shutdown. `periodMs` is for tests.
 */
export function startFailedAuthentications(deps: Deps, periodMs = MINUTE_MS): FailedAuthentications {
  const { log, now } = deps
  let period = 0
  let current = new Map<string | undefined, Failures>()
  let unwritten: Failures[] = []
  let lost = 0

  function startPeriod(time: Date): void {
    const next = Math.floor(time.getTime() / periodMs)
    if (next === period) return
    period = next
    current = new Map()
  }

  function failuresOf(address: string, time: Date): Failures | undefined {
    const key = current.has(address) || current.size < MAX_ADDRESSES ? address : undefined
    const known = current.get(key)
    if (known || unwritten.length >= MAX_UNWRITTEN) return known
    const fresh = { id: uuid7(), address: key, period, first: time, last: time, count: 0, throttled: 0 }
    current.set(key, fresh)
    unwritten.push(fresh)
    return fresh
  }

  async function write(due: readonly Failures[]): Promise<void> {
    if (lost > 0) log.warn({ count: lost }, 'failed authentications are missing from the audit log')
    lost = 0
    if (due.length === 0) return
    try {
      await insertFailures(deps, due)
      const written = new Set(due)
      unwritten = unwritten.filter((failures) => !written.has(failures))
    } catch (error) {
      log.warn({ err: error }, 'failed authentications could not be written to the audit log yet')
    }
  }

  async function writeEachPeriod(signal: AbortSignal): Promise<void> {
    for (;;) {
      const wait = periodMs - (now().getTime() % periodMs)
      await sleep(wait, undefined, { signal, ref: false }).catch(() => {}) // rejects only when it is aborted
      if (signal.aborted) return write(unwritten)
      startPeriod(now())
      await write(unwritten.filter((failures) => failures.period !== period))
    }
  }

  const stop = new AbortController()
  const stopped = writeEachPeriod(stop.signal)
  return {
    add(address, { throttled }) {
      const time = now()
      startPeriod(time)
      const failures = failuresOf(address, time)
      if (!failures) {
        lost += 1
        return
      }
      failures.last = time
      failures.count += 1
      if (throttled) failures.throttled += 1
    },
    async [Symbol.asyncDispose]() {
      stop.abort()
      await stopped
    },
  }
}

/** Entries without an actor. A retry after an unknown commit outcome writes the same ids. */
async function insertFailures(deps: Deps, all: readonly Failures[]): Promise<void> {
  const rows = all.map(({ id, address, first, last, count, throttled }) => ({
    id,
    at: first.toISOString(),
    target: address ?? 'others',
    name: address ?? 'Other addresses',
    details: { count, throttled, lastAt: last.toISOString() },
    address,
  }))
  await inTransaction(deps, (tx) =>
    sql`insert into audit_entry (id, at, action, target_type, target_id, target_name, details, address)
      select id, at, 'authentication.failed', 'address', target, name, details, address
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as entry (id uuid, at timestamptz, target text, name text, details jsonb, address text)
      on conflict do nothing`.execute(tx.db),
  )
}
