import { setTimeout as delay } from 'node:timers/promises'
import type { Launched } from './launch.ts'
import { readSize } from './log-file.ts'
import { type Cluster, startPostmaster, stopPostmaster, whyEnded } from './postmaster.ts'

type ServerState = { readonly up: true } | { readonly up: false; readonly reason: string }

/** Before the first restart; doubled between failing starts (exponential backoff), up to a short maximum. */
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 5_000

/** Supervises a server: restarts it when it ends; failing starts are repeated forever, with backoff. */
export class Supervision {
  readonly #cluster: Cluster
  readonly #stopping = new AbortController()
  /** Created before anything waits for it: a signal reaches only earlier listeners. */
  readonly #stopRequested = new Promise((resolve) => this.#stopping.signal.addEventListener('abort', resolve))
  readonly #watching: Promise<void>
  #state: ServerState = { up: true }

  constructor(cluster: Cluster, first: Launched) {
    this.#cluster = cluster
    this.#watching = this.#watch(first)
  }

  get state(): ServerState {
    return this.#state
  }

  /** Ends the supervision, then the server. */
  async stop(): Promise<void> {
    this.#state = { up: false, reason: 'PostgreSQL is stopping' }
    this.#stopping.abort()
    await this.#watching
  }

  async #watch(first: Launched): Promise<void> {
    const cluster = this.#cluster
    let running = first
    for (;;) {
      const logStart = readSize(cluster.folder.log)
      await Promise.race([running.ended, this.#stopRequested])
      if (this.#stopping.signal.aborted) return await stopPostmaster(cluster, running)
      this.#down(`PostgreSQL ended (${whyEnded(cluster, running, logStart)}) and is being restarted`)
      const next = await this.#restart()
      if (next === undefined) return
      running = next
      // It was stopped meanwhile, and is about to end again.
      if (this.#stopping.signal.aborted) continue
      this.#state = { up: true }
      cluster.log.info({ databasePid: running.pid }, 'PostgreSQL is up again')
    }
  }

  #down(reason: string): void {
    this.#state = { up: false, reason }
    this.#cluster.log.error({ reason }, 'PostgreSQL is down')
  }

  async #restart(): Promise<Launched | undefined> {
    const { signal } = this.#stopping
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      await delay(pause, undefined, { ref: false, signal }).catch(() => {})
      if (signal.aborted) return undefined
      try {
        return await startPostmaster(this.#cluster, signal)
      } catch (error) {
        if (signal.aborted) return undefined
        this.#down((error as Error).message)
      }
    }
  }
}
