import { setTimeout as delay } from 'node:timers/promises'
import type { Launched } from './launch.ts'
import { sizeOf } from './log-file.ts'
import { type Cluster, lastComplaint, startPostmaster, stopPostmaster } from './postmaster.ts'

export type ServerState = { readonly up: true } | { readonly up: false; readonly reason: string }

export interface Supervision {
  state(): ServerState
  /** Ends the supervision, then the server. */
  stop(): Promise<void>
}

const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 10_000
/** A server that held this long is not failing in a row. */
const STEADY_MS = 30_000

/** Keeps a server running: one that ends is started again, ever more slowly, and for ever. */
export function supervise(cluster: Cluster, first: Launched): Supervision {
  const stopping = new AbortController()
  let state: ServerState = { up: true }
  const watching = watch()

  async function watch(): Promise<void> {
    let running = first
    let pause = FIRST_PAUSE_MS
    for (;;) {
      const since = Date.now()
      const logStart = sizeOf(cluster.folder.log)
      await Promise.race([running.ended, aborted(stopping.signal)])
      if (stopping.signal.aborted) return await stopPostmaster(cluster, running)
      const reason = `PostgreSQL ended (${running.ending()?.words}): ${lastComplaint(cluster.folder, logStart)}`
      down(reason)
      if (Date.now() - since > STEADY_MS) pause = FIRST_PAUSE_MS
      const next = await restart(pause)
      if (next === undefined) return
      running = next.running
      pause = next.pause
      state = { up: true }
      cluster.log.info({ pid: running.pid }, 'PostgreSQL is up again')
    }
  }

  function down(reason: string): void {
    state = { up: false, reason }
    cluster.log.error({ reason }, 'PostgreSQL is down')
  }

  async function restart(pauseMs: number): Promise<{ running: Launched; pause: number } | undefined> {
    for (let pause = pauseMs; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      await delay(pause, undefined, { ref: false, signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return undefined
      try {
        const running = await startPostmaster(cluster, stopping.signal)
        return { running, pause: Math.min(pause * 2, LONGEST_PAUSE_MS) }
      } catch (error) {
        if (stopping.signal.aborted) return undefined
        down((error as Error).message)
      }
    }
  }

  return {
    state: () => state,
    async stop() {
      state = { up: false, reason: 'PostgreSQL is stopping' }
      stopping.abort()
      await watching
    },
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
