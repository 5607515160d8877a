import { totalmem } from 'node:os'

const MEGABYTE = 1024 * 1024
const OPTION = /^--max[-_]semi[-_]space[-_]size=(\d+)$/
/** As in packages/lib/src/memory-plan.ts: what Node and PostgreSQL take without load, and how much more is ample. */
const BASE_BYTES = 192 * MEGABYTE
const AMPLE_BYTES = 1024 * MEGABYTE

/** With an arena for each thread, which is glibc's default, an import takes 20 MB more, and is no faster. */
const MALLOC_ARENAS = '2'

/**
 * Restarts this process (execve(2): the same process id) if its semi-spaces are larger than the memory of its container
 * allows, or not limited, or if glibc may use an arena for each thread. V8 and glibc read these options before the
 * first line of a program.
 */
export function restartWithMemoryOptions() {
  // A channel to a parent process would be lost.
  if (process.platform !== 'linux' || process.connected) return
  const given = optionOf([...(process.env.NODE_OPTIONS ?? '').split(/\s+/), ...process.execArgv])
  const megabytes = semiSpaceMb(memoryLimit())
  const isLimited = given !== undefined && given <= megabytes
  if (isLimited && process.env.MALLOC_ARENA_MAX !== undefined) return
  // The last one counts, and those of NODE_OPTIONS are before them all.
  const options = isLimited ? process.execArgv : [...process.execArgv, `--max-semi-space-size=${megabytes}`]
  const environment = { MALLOC_ARENA_MAX: MALLOC_ARENAS, ...process.env }
  process.execve(process.execPath, [process.argv0, ...options, ...process.argv.slice(1)], environment)
}

/** A quarter to a half of the processor time of requests depends on it: 16 MB if there is enough memory, at least 2. */
export function semiSpaceMb(/** @type {number} */ bytes) {
  const share = Math.min(Math.max(bytes - BASE_BYTES, 0) / AMPLE_BYTES, 1)
  // V8 takes the next power of two.
  return 2 ** Math.max(Math.floor(Math.log2(16 * share)), 1)
}

function optionOf(/** @type {readonly string[]} */ options) {
  const given = options.map((option) => OPTION.exec(option)?.[1]).findLast((value) => value !== undefined)
  return given === undefined ? undefined : Number(given)
}

function memoryLimit() {
  return Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem())
}
