import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { type ScaledHeader, type ScaleOptions, UNREADABLE } from './image-job.ts'

/** The limits of one image: memory in bytes, processor time and elapsed time. */
export interface ImageLimits {
  readonly memoryBytes: number
  readonly cpuMs: number
  readonly elapsedMs: number
}

/** A smaller image. */
export interface ScaledImage extends ScaledHeader {
  readonly data: Buffer
}

/** Why there is no result: the bytes cannot be decoded, or exceed the limits. Both are permanent. */
export class ImageError extends Error {
  readonly reason: 'unreadable' | 'too_expensive'

  constructor(reason: ImageError['reason'], detail: string) {
    super(`${reason}: ${detail}`)
    this.name = 'ImageError'
    this.reason = reason
  }
}

const SCRIPT = fileURLToPath(new URL('./image-worker.ts', import.meta.url))
/** The heap is small: images are outside of it. */
const ARGUMENTS = ['--max-old-space-size=64', '--disable-warning=ExperimentalWarning']
const LOOK_MS = 100
const CLOCK_TICKS_PER_MS = 0.1
const PAGE_BYTES = 4096

/** Scales an image in a separate process. Rejects with an ImageError; with another error if it failed temporarily. */
export async function scaleImage(
  options: ScaleOptions,
  bytes: Readable,
  limits: ImageLimits,
  signal: AbortSignal,
): Promise<ScaledImage> {
  // Without the environment, which contains secrets.
  const child = spawn(process.execPath, [...ARGUMENTS, SCRIPT, JSON.stringify(options)], {
    env: {},
    stdio: ['pipe', 'pipe', 'pipe'],
    signal: AbortSignal.any([signal, AbortSignal.timeout(limits.elapsedMs)]),
    killSignal: 'SIGKILL',
  })
  const endPromise = once(child, 'close') as Promise<[number | null]>
  endPromise.catch(() => {}) // awaited below
  const watch = watchUsage(child, limits)
  const output = collect(child.stdout, options.maxBytes + 1024)
  const errorOutput = collect(child.stderr, 4096)
  try {
    await pipeline(bytes, child.stdin).catch(rethrowUnlessClosed)
    const [code] = await endPromise
    if (code === 0) return parse(await output)
    const detail = watch.exceeded() ?? (await errorOutput).toString('utf8')
    if (watch.exceeded()) throw new ImageError('too_expensive', detail)
    if (code === UNREADABLE) throw new ImageError('unreadable', detail)
    throw new Error(`the process of an image ended with ${code}: ${detail}`)
  } finally {
    watch.stop()
    child.kill('SIGKILL')
  }
}

/** A process that needs no more input closes it. */
function rethrowUnlessClosed(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET' && error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
}

function parse(output: Buffer): ScaledImage {
  const end = output.indexOf('\n')
  const header: ScaledHeader = JSON.parse(output.toString('utf8', 0, end))
  return { ...header, data: output.subarray(end + 1) }
}

async function collect(stream: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length <= maxBytes) chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Ends a process that exceeds the limits, if the system reports its usage (Linux: proc(5)). */
function watchUsage({ pid }: ChildProcess, { memoryBytes, cpuMs }: ImageLimits) {
  let exceededLimit: string | undefined
  if (pid !== undefined) yieldToOthers(pid)
  const timer = setInterval(() => {
    const usage = pid === undefined ? undefined : readUsage(pid)
    if (!usage) return
    if (usage.memoryBytes > memoryBytes) exceededLimit = 'memory'
    else if (usage.cpuMs > cpuMs) exceededLimit = 'processor time'
    if (exceededLimit && pid !== undefined) process.kill(pid, 'SIGKILL')
  }, LOOK_MS)
  return { exceeded: () => exceededLimit, stop: () => clearInterval(timer) }
}

/** A low priority for the scheduler and a high score for the OOM killer: requests have precedence. */
function yieldToOthers(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000')
  } catch {
    // It has ended, or the system does not support this.
  }
}

function readUsage(pid: number): { readonly memoryBytes: number; readonly cpuMs: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // Fields 14, 15 and 24; the second one, in parentheses, may contain any characters.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = Number(fields[11]) + Number(fields[12])
    return { memoryBytes: Number(fields[21]) * PAGE_BYTES, cpuMs: ticks / CLOCK_TICKS_PER_MS }
  } catch {
    return undefined
  }
}
