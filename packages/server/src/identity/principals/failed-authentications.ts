import { setTimeout as sleep } from 'node:timers/promises'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { sql } from 'kysely'
import type { Runtime } from '../../access/ctx.ts'
import { inTransaction } from '../../platform/database/transaction.ts'

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

type Deps = Pick<Runtime, 'db' | 'log' | 'now'>

const MINUTE_MS = 60_000
/** The number of addresses per minute; further ones share one entry. */
export const MAX_ADDRESSES = 1_000
/** Retained while the database is unavailable. */
const MAX_UNWRITTEN = 5_000

/**
 * Counts failed API authentications by address and minute, and writes the counts to the audit log. Aggregation in the
 * memory of this process: guessing keys causes one audit entry per minute instead of one per request, and no request
 * waits for it. Written at the end of each minute and at shutdown. `periodMs` is for tests.
 */
export class FailedAuthentications implements AsyncDisposable {
  readonly #deps: Deps
  readonly #periodMs: number
  #period = 0
  #current = new Map<string | undefined, Failures>()
  #unwritten: Failures[] = []
  #lost = 0
  readonly #stop = new AbortController()
  readonly #stopped: Promise<void>

  constructor(deps: Deps, periodMs = MINUTE_MS) {
    this.#deps = deps
    this.#periodMs = periodMs
    this.#stopped = this.#writeEachPeriod(this.#stop.signal)
  }

  /** Never waits. `throttled`: it got 429, because the address has failed too often. */
  add(address: string, { throttled }: { readonly throttled: boolean }): void {
    const time = this.#deps.now()
    this.#startPeriod(time)
    const failures = this.#findFailures(address, time)
    if (!failures) {
      this.#lost += 1
      return
    }
    failures.last = time
    failures.count += 1
    if (throttled) failures.throttled += 1
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#stopped
  }

  #startPeriod(time: Date): void {
    const next = Math.floor(time.getTime() / this.#periodMs)
    if (next === this.#period) return
    this.#period = next
    this.#current = new Map()
  }

  #findFailures(address: string, time: Date): Failures | undefined {
    const key = this.#current.has(address) || this.#current.size < MAX_ADDRESSES ? address : undefined
    const failures = this.#current.get(key)
    if (failures || this.#unwritten.length >= MAX_UNWRITTEN) return failures
    const period = this.#period
    const fresh = { id: uuid7(), address: key, period, first: time, last: time, count: 0, throttled: 0 }
    this.#current.set(key, fresh)
    this.#unwritten.push(fresh)
    return fresh
  }

  async #writeEachPeriod(signal: AbortSignal): Promise<void> {
    const { now } = this.#deps
    for (;;) {
      const wait = this.#periodMs - (now().getTime() % this.#periodMs)
      await sleep(wait, undefined, { signal, ref: false }).catch(() => {}) // rejects only when it is aborted
      if (signal.aborted) return this.#write(this.#unwritten)
      this.#startPeriod(now())
      await this.#write(this.#unwritten.filter(({ period }) => period !== this.#period))
    }
  }

  async #write(due: readonly Failures[]): Promise<void> {
    const { log } = this.#deps
    if (this.#lost > 0) log.warn({ count: this.#lost }, 'failed authentications are missing from the audit log')
    this.#lost = 0
    if (due.length === 0) return
    try {
      await insertFailures(this.#deps, due)
      const writtenFailures = new Set(due)
      this.#unwritten = this.#unwritten.filter((failures) => !writtenFailures.has(failures))
    } catch (error) {
      log.warn({ err: error }, 'failed authentications could not be written to the audit log yet')
    }
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
