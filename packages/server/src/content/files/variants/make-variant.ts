import { availableParallelism } from 'node:os'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { type AppError, retryLater } from '@recto/contract/errors.ts'
import { KeyedSemaphore } from '@recto/lib/concurrency/fair-queue.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { Runtime } from '../../../access/ctx.ts'
import { currentOwner } from '../../../platform/database/connections/request-scope.ts'
import { autocommit } from '../../../platform/database/database.ts'
import { type BytesCtx, streamBytes } from '../blobs/download.ts'
import { ImageError, type ImageLimits, scaleImage } from './image-process.ts'
import { claimVariant, readVariant, releaseVariant, storeVariant, type VariantRow } from './store-variants.ts'
import { MAX_IMAGE_PIXELS, type VariantSpec, variantName } from './variants.ts'

/** The image of a variant. */
interface VariantSource {
  readonly digest: Buffer
  readonly size: number
}

/** A variant in progress or queued. */
interface Making {
  readonly row: Promise<VariantRow | undefined>
  /** Who waits for it: it is made in whose turn comes first. */
  readonly owners: Set<string>
  /** Ends with that turn, and so the waits of the others. */
  readonly turn: PromiseWithResolvers<() => void>
  readonly begun: AbortController
}

/** How long a request waits for a variant. */
const WAIT_MS = 20_000
/** The interval of checking whether another node is done. */
const LOOK_MS = 200
/** Longer than the time limit of one image. */
const CLAIM_SECONDS = 150
/** The maximum of variants that wait for their turn for one principal; further ones are not started. */
const MAX_WAITING = 200
const MAX_PROCESSES = 4
const PROCESSES = Math.max(1, Math.min(MAX_PROCESSES, availableParallelism() >> 1))
const MAX_BYTES = 1024 * 1024
/** Of a variant of a width: a long screenshot stays readable, and small. */
const MAX_PIXELS = 8_000_000
const MEGAPIXEL = 1_000_000
const SQUARE_SIDE = 192
/** Squares of one principal in progress and queued: requests wait for them. */
const MAX_SQUARES = 20

/** Creates each variant once for all nodes. `db` is that of the primary: a read may create a missing variant. */
export class VariantMaker implements AsyncDisposable {
  readonly #runtime: BytesCtx & Pick<Runtime, 'log'>
  readonly #limits: ImageLimits
  /** Images of different principals are scaled in turn, and none has all processes. */
  readonly #slots = new KeyedSemaphore({ total: PROCESSES, perKey: Math.max(1, PROCESSES - 1) })
  readonly #closing = new AbortController()
  readonly #making = new Map<string, Making>()
  readonly #squares = new KeyedSemaphore({ perKey: MAX_SQUARES })

  constructor(runtime: BytesCtx & Pick<Runtime, 'log'>, limits: ImageLimits) {
    this.#runtime = runtime
    this.#limits = limits
  }

  /** The variant, or why there is none; undefined: it was not ready in time. */
  async make(source: VariantSource, spec: VariantSpec): Promise<VariantRow | undefined> {
    const name = variantName(spec)
    const key = `${source.digest.toString('hex')}/${name}`
    // One that is stored waits for nobody's turn.
    const storedVariant = this.#making.has(key)
      ? undefined
      : await readVariant.first(this.#runtime.db, { digest: source.digest, name })
    if (storedVariant) return storedVariant
    const owner = currentOwner()
    const isFull = this.#closing.signal.aborted || this.#slots.countWaiting(owner) >= MAX_WAITING
    const making = this.#making.get(key) ?? (isFull ? undefined : this.#begin(key, source, spec))
    if (!making) return undefined
    if (!isFull) this.#join(making, owner)
    const late = new AbortController()
    const wait = sleep(WAIT_MS, undefined, { signal: late.signal, ref: false }).catch(() => undefined)
    try {
      return await Promise.race([making.row, wait])
    } finally {
      late.abort()
    }
  }

  /** A small square WebP of the middle of an image, which is not stored. Throws an `ImageError`, or `files_busy`. */
  async square(bytes: Readable, size: number): Promise<Buffer> {
    const release = this.#squares.tryAcquire(currentOwner())
    if (typeof release === 'string') throw busy()
    try {
      return await this.#scaleSquare(bytes, size)
    } catch (error) {
      throw error instanceof ImageError ? error : busy(error)
    } finally {
      release()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort()
    await Promise.all([...this.#making.values()].map(({ row }) => row))
  }

  #begin(key: string, source: VariantSource, spec: VariantSpec): Making {
    const [turn, begun] = [Promise.withResolvers<() => void>(), new AbortController()]
    const row = this.#makeOrAwait(source, spec, turn.promise)
      .catch((error: unknown) => {
        if (this.#closing.signal.aborted) return undefined
        this.#runtime.log.warn({ err: error }, 'a variant of an image was not made: the next request tries again')
        return undefined
      })
      .finally(() => this.#making.delete(key))
    const making = { row, owners: new Set<string>(), turn, begun }
    this.#making.set(key, making)
    return making
  }

  /** Queues a variant for a principal, too, who else would wait for all that its first requester has queued before. */
  #join({ owners, turn, begun }: Making, owner: string): void {
    if (owners.has(owner)) return
    owners.add(owner)
    const signal = AbortSignal.any([this.#closing.signal, begun.signal])
    this.#slots.acquire(owner, signal).then((release) => {
      // It began in the turn of somebody else.
      if (begun.signal.aborted) return release()
      turn.resolve(release)
      begun.abort()
    }, turn.reject)
  }

  /** The variant, made here or by another node. */
  async #makeOrAwait(source: VariantSource, spec: VariantSpec, turn: Promise<() => void>): Promise<VariantRow> {
    const { db } = this.#runtime
    const { signal } = this.#closing
    const key = { digest: source.digest, name: variantName(spec), claim: uuid7() }
    for (let release = await turn; ; release = await this.#slots.acquire(currentOwner(), signal)) {
      try {
        const done = await readVariant.first(db, key)
        if (done) return done
        const claimedRow = await claimVariant.first(autocommit(db), { ...key, seconds: CLAIM_SECONDS })
        if (claimedRow) return await makeClaimed(this.#runtime, this.#limits, { ...source, ...spec, ...key }, signal)
      } finally {
        release()
      }
      await sleep(LOOK_MS, undefined, { signal })
    }
  }

  async #scaleSquare(bytes: Readable, size: number): Promise<Buffer> {
    const { signal } = this.#closing
    const release = await this.#slots.acquire(currentOwner(), signal)
    try {
      const { data } = await scaleImage({ size, ...SQUARE }, bytes, this.#limits, signal)
      return data
    } finally {
      release()
    }
  }
}

const SQUARE = {
  side: SQUARE_SIDE,
  maxPixels: SQUARE_SIDE ** 2,
  format: 'webp',
  limitPixels: MAX_IMAGE_PIXELS,
  maxBytes: MAX_BYTES,
} as const

function busy(cause?: unknown): AppError {
  return retryLater('files_busy', 'Too many images are being processed at once.', 2, cause)
}

type Wanted = VariantSource & VariantSpec & { readonly name: string; readonly claim: string }

/** Creates a variant under a claim, which is released after a temporary failure. */
async function makeClaimed(
  runtime: BytesCtx,
  limits: ImageLimits,
  wantedVariant: Wanted,
  signal: AbortSignal,
): Promise<VariantRow> {
  const db = autocommit(runtime.db)
  try {
    const row = await scaled(runtime, limits, wantedVariant, signal)
    await storeVariant.first(db, { ...wantedVariant, ...row })
    return row
  } catch (error) {
    await releaseVariant.first(db, wantedVariant)
    throw error
  }
}

/** The variant, or its failure if that is permanent. */
async function scaled(
  runtime: BytesCtx,
  limits: ImageLimits,
  { digest, size, width, format }: Wanted,
  signal: AbortSignal,
): Promise<VariantRow> {
  const options = {
    size,
    format,
    limitPixels: MAX_IMAGE_PIXELS,
    maxBytes: MAX_BYTES,
    ...(width === 'megapixel' ? { maxPixels: MEGAPIXEL } : { width, maxPixels: MAX_PIXELS }),
  }
  try {
    const bytes = streamBytes(runtime, digest, [{ start: 0, end: size - 1 }])
    const { data, contentType, ...sides } = await scaleImage(options, bytes, limits, signal)
    return { data, content_type: contentType, ...sides, failure: null }
  } catch (error) {
    if (!(error instanceof ImageError)) throw error
    return { data: null, content_type: null, width: null, height: null, failure: error.message }
  }
}
