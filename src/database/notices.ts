import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { uuid7 } from '../lib/encoding/uuid7.ts'
import type { DatabaseServer } from './connections/server.ts'
import { noticesName } from './releases.ts'

/** Wake-ups between nodes (LISTEN and NOTIFY): they may get lost, so that every listener also polls. */
export interface Notices extends AsyncDisposable {
  /** Wakes the other nodes soon; many calls are coalesced. */
  send(): void
}

export interface NoticeOptions {
  readonly server: DatabaseServer
  readonly channel: string
  readonly onNotice: () => void
  readonly onLost: (error: Error) => void
}

/** A transaction with a NOTIFY holds a lock of the complete database during its commit: so there are few of them. */
const SEND_EVERY_MS = 50
const MAX_WAIT_MS = 30_000

/** Listens on a connection of its own, and reconnects when it is lost. */
export function startNotices(options: NoticeOptions): Notices {
  const self = uuid7()
  const stop = new AbortController()
  let client: pg.Client | undefined
  let sending: NodeJS.Timeout | undefined

  /** Listens until the connection is lost, and returns why; undefined when this was stopped. */
  async function listen(): Promise<Error | undefined> {
    const next = new pg.Client({ ...options.server.settings(), application_name: noticesName() })
    options.server.track(next)
    next.on('notification', ({ payload }) => payload === self || options.onNotice())
    const lost = new Promise<Error>((resolve) => {
      next.on('error', resolve)
      next.on('end', () => resolve(new Error('the connection for notices ended')))
    })
    try {
      await next.connect()
      await next.query(`listen ${pg.escapeIdentifier(options.channel)}`)
      client = next
      // Wake-ups that were missed while nobody listened.
      options.onNotice()
      return await Promise.race([lost, aborted(stop.signal)])
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error))
    } finally {
      client = undefined
      await next.end().catch(() => {}) // it is lost already
    }
  }

  async function run(): Promise<void> {
    for (let wait = 100; !stop.signal.aborted; wait = Math.min(wait * 2, MAX_WAIT_MS)) {
      const since = performance.now()
      const error = await listen()
      if (!error || stop.signal.aborted) return
      options.onLost(error)
      if (performance.now() - since > MAX_WAIT_MS) wait = 100
      await sleep(wait, undefined, { signal: stop.signal }).catch(() => {}) // rejects only when it is aborted
    }
  }

  const running = run()
  return {
    send() {
      sending ??= setTimeout(() => {
        sending = undefined
        client?.query('select pg_notify($1, $2)', [options.channel, self]).catch(options.onLost)
      }, SEND_EVERY_MS)
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(sending)
      stop.abort()
      await running
    },
  }
}

/** If the signal was aborted while connecting, its event is past. */
function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}
