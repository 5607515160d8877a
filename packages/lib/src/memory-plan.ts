import { totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'

/** The memory budgets of those parts of a process that grow with its load. */
export interface MemoryPlan {
  /** Workers that parse Markdown. */
  readonly workers: number
  /** The heap of a worker that parses, and its young generation. */
  readonly workerHeapMb: number
  readonly workerYoungMb: number
  /** How long an idle worker is kept. */
  readonly workerIdleMs: number
  /** The cache of bodies and HTML. */
  readonly cacheBytes: number
  /** Large request bodies in progress, in bytes. */
  readonly bodyBytes: number
  /** The memory limit of scaling one image, in a separate process. */
  readonly imageBytes: number
  /** `shared_buffers` of the embedded PostgreSQL, which shares the limit of a container. */
  readonly sharedBuffersMb: number
  /** `work_mem` and `maintenance_work_mem` of it, and how many connections it is given at most. */
  readonly workMemMb: number
  readonly maintenanceMb: number
  readonly connections: number
}

const MEGABYTE = 1024 * 1024
/** What Node and PostgreSQL take without load (measured). */
const BASE_BYTES = 192 * MEGABYTE
/** With this much more memory no budget has to be reduced, and only `sharedBuffersMb` grows further. */
const AMPLE_BYTES = 1024 * MEGABYTE
const MAX_SHARED_BUFFERS_MB = 1024

/** Divides the memory of a container or a machine (`bytes`), and the heap limit of V8. */
export function planMemory(bytes = memoryLimit(), heapBytes = getHeapStatistics().heap_size_limit): MemoryPlan {
  const share = Math.min(Math.max(bytes - BASE_BYTES, 0) / AMPLE_BYTES, 1)
  return {
    workers: share < 0.5 ? 1 : 2,
    // A body of 800 kB with 6,000 links is parsed and rendered in 48 MB, and prose in 32 (measured).
    workerHeapMb: Math.max(Math.floor(512 * share), 64),
    workerYoungMb: Math.max(Math.floor(32 * share), 4),
    workerIdleMs: share < 0.5 ? 2_000 : 30_000,
    cacheBytes: Math.min(Math.max(48 * MEGABYTE * share, 4 * MEGABYTE), heapBytes / 8),
    // Two of the largest: one is stored while the next one is parsed.
    bodyBytes: Math.min(Math.max(16 * MEGABYTE * share, 2 * MEGABYTE), heapBytes / 16),
    // Node with the library takes 70 MB; a progressive JPEG of 36 million pixels is scaled in 400 (measured).
    imageBytes: Math.max(768 * MEGABYTE * share, 160 * MEGABYTE),
    // A sixteenth of a large machine: what is not there is copied from the cache of the kernel at each use.
    sharedBuffersMb: Math.max(
      Math.floor(128 * share),
      16,
      Math.min(Math.floor(bytes / 16 / MEGABYTE), MAX_SHARED_BUFFERS_MB),
    ),
    workMemMb: Math.max(Math.floor(16 * share), 4),
    maintenanceMb: Math.max(Math.floor(64 * share), 16),
    // A connection takes 5 to 10 MB (measured).
    connections: share < 1 ? Math.max(Math.floor(32 * share), 4) : Number.POSITIVE_INFINITY,
  }
}

/** The limit of the control group, or the memory of the machine. */
function memoryLimit(): number {
  // 0 without a limit; where the kernel reports one, a number beyond all memory.
  return Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem())
}
