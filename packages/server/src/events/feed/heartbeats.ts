export type Heartbeats = ReturnType<typeof createHeartbeats>

/** Proxies close a connection after as little as 30 s without data. */
export const HEARTBEAT_MS = 15_000
const TICK_MS = 250

/**
 * Calls each member once per period, by a timer wheel: members are spread over the slots of a period, and one timer
 * goes round. However many registered at the same moment, each tick calls few of them.
 */
export function createHeartbeats(periodMs: number) {
  const slots = Array.from({ length: Math.ceil(periodMs / TICK_MS) }, () => new Set<() => void>())
  let timer: NodeJS.Timeout | undefined
  let hand = 0
  let count = 0
  let addedCount = 0

  function tick(): void {
    hand = (hand + 1) % slots.length
    for (const beat of slots[hand] ?? []) beat()
  }

  return {
    /** Registers a member until the result is disposed. */
    add(member: () => void): Disposable {
      // One function may be added several times.
      const beat = () => member()
      const slot = slots[addedCount++ % slots.length]
      slot?.add(beat)
      count += 1
      timer ??= setInterval(tick, TICK_MS)
      return {
        [Symbol.dispose]() {
          if (!slot?.delete(beat)) return
          count -= 1
          if (count > 0) return
          clearInterval(timer)
          timer = undefined
        },
      }
    },
  }
}
