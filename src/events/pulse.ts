/** Lets readers wait for changes without each asking the database again and again. */
export interface Pulse {
  /** Resolves when something may have changed, at the latest after `ms`, or at once when all is over. */
  wait(ms: number): Promise<void>
  /** Something was committed here. */
  stir(): void
  /** Whether the process is stopping. */
  readonly over: boolean
  /** Lets everybody go, now and from now on. */
  close(): void
}

/** What other nodes commit is seen at the next beat. */
const BEAT_MS = 500
/** Commits that come so close together wake the readers once. */
const GATHER_MS = 20

/** Beats only while somebody waits. */
export function createPulse(): Pulse {
  const waiting = new Set<() => void>()
  let over = false
  let gathering: NodeJS.Timeout | undefined
  let beating: NodeJS.Timeout | undefined

  function wakeAll(): void {
    clearTimeout(gathering)
    gathering = undefined
    clearInterval(beating)
    beating = undefined
    for (const wake of [...waiting]) wake()
  }

  return {
    get over() {
      return over
    },
    wait(ms) {
      if (over || ms <= 0) return Promise.resolve()
      beating ??= setInterval(wakeAll, BEAT_MS).unref()
      return new Promise((resolve) => {
        const wake = () => {
          clearTimeout(timer)
          waiting.delete(wake)
          resolve()
        }
        const timer = setTimeout(wake, ms)
        waiting.add(wake)
      })
    },
    stir() {
      if (waiting.size > 0) gathering ??= setTimeout(wakeAll, GATHER_MS)
    },
    close() {
      over = true
      wakeAll()
    },
  }
}
