import { closeSync, openSync, readFileSync } from 'node:fs'
import { devNull } from 'node:os'
import { registerSampled } from '@recto/lib/sampled.ts'
import type { FastifyBaseLogger } from 'fastify'
import type { Registry } from 'prom-client'

/** A browser opens six connections, and each of them, and each file, takes one. */
const MIN_LIMIT = 1_024
const LOOK_MS = 1_000
const LOG_EVERY_MS = 60_000

/**
 * Warns of a low limit of file descriptors, and of each minute in which none is free. Without one nothing else tells:
 * libuv accepts the connections of clients and closes them, so that the queue of the system does not fill.
 */
export function watchDescriptors(log: Pick<FastifyBaseLogger, 'warn' | 'error'>, registry: Registry): Disposable {
  const limit = readLimit()
  if (limit !== undefined && limit < MIN_LIMIT) {
    log.warn({ limit }, `fewer than ${MIN_LIMIT} file descriptors: raise it (ulimit -n, LimitNOFILE of the unit)`)
  }
  let count = 0
  let loggedAt = Number.NEGATIVE_INFINITY
  const timer = setInterval(() => {
    if (isFree()) return
    count++
    if (performance.now() - loggedAt < LOG_EVERY_MS) return
    loggedAt = performance.now()
    log.error(
      { limit },
      'no file descriptor is free: new connections are closed. Raise the limit, or look who opens so many',
    )
  }, LOOK_MS).unref()
  registerSampled(registry, [
    {
      type: 'counter',
      name: 'recto_descriptors_exhausted_total',
      help: 'Seconds in which no file descriptor was free: new connections were closed.',
      sample: () => count,
    },
  ])
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

function isFree(): boolean {
  try {
    closeSync(openSync(devNull, 'r'))
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE'))
  }
}

/** The soft limit, where the system tells it. */
function readLimit(): number | undefined {
  try {
    const limitMatch = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))
    return limitMatch?.[1] === undefined ? undefined : Number(limitMatch[1])
  } catch {
    return undefined
  }
}
