import { setTimeout as delay } from 'node:timers/promises'
import type { Launched } from './launch.ts'
import { sizeOf } from './log-file.ts'
import { type Cluster, startPostmaster, stopPostmaster, whyEnded } from './postmaster.ts'

type ServerState = { readonly up: true } | { readonly up: false; readonly reason: string }

export interface Supervision {
  state(): ServerState
  /** Ends the supervision, then the server. */
  stop(): Promise<void>
}

/**
 * Before the first restart; doubled between failing starts (exponential backoff), up to a short maximum, to be up
 * soon after a disk has space again.
 */
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 5_000

/** Supervises a server: restarts it when it ends; failing starts are repeated forever, with backoff. */
export function supervise(cluster: Cluster, first: Launched): Supervision {
  const stopping = new AbortController()
  // Created before anything waits for it: a signal reaches only earlier listeners.
  const stopRequested = new Promise((resolve) => stopping.signal.addEventListener('abort', resolve))
  let state: ServerState = { up: true }
  const watching = watch()

  async function watch(): Promise<void> {
    let running = first
    for (;;) {
      const logStart = sizeOf(cluster.folder.log)
      await Promise.race([running.ended, stopRequested])
      if (stopping.signal.aborted) return await stopPostmaster(cluster, running)
      down(`PostgreSQL ended (${whyEnded(cluster, running, logStart)}) and is being restarted`)
      const next = await restart()
      if (next === undefined) return
      running = next
      // It was stopped meanwhile, and is about to end again.
      if (stopping.signal.aborted) continue
      state = { up: true }
      cluster.log.info({ pid: running.pid }, 'PostgreSQL is up again')
    }
  }

  function down(reason: string): void {
    state = { up: false, reason }
    cluster.log.error({ reason }, 'PostgreSQL is down')
  }

  async function restart(): Promise<Launched | undefined> {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      await delay(pause, undefined, { ref: false, signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return undefined
      try {
        return await startPostmaster(cluster, stopping.signal)
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
