import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

interface Collection {
  readonly type: 'major' | 'minor'
  readonly execution?: 'sync'
  readonly flavor?: 'last-resort'
}

let gc: ((collection: Collection) => void) | undefined

/** V8's own function, which contexts have that are created after the option. */
export function collectGarbage(collection: Collection): void {
  if (!gc) {
    setFlagsFromString('--expose-gc')
    gc = runInNewContext('gc') as NonNullable<typeof gc>
  }
  gc(collection)
}

/** A collection of the young generation takes one or two milliseconds. */
const BYTES_PER_COLLECTION = 4 * 1024 * 1024
let bytesSince = 0

/**
 * Collects the young generation after some megabytes in buffers of one use, which are outside of V8's heap: it would
 * let 64 MB of them wait, and new memory takes twice the processor time of used memory.
 */
export function passedInBuffers(bytes: number): void {
  bytesSince += bytes
  if (bytesSince < BYTES_PER_COLLECTION) return
  bytesSince = 0
  collectGarbage({ type: 'minor' })
}
