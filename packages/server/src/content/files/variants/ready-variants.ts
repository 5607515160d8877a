import { Lru } from '@recto/lib/lru.ts'
import { ownBytes } from '@recto/lib/own-bytes.ts'

/** A variant of an image in memory. The bytes with a digest never change, nor do their variants. */
export interface ReadyVariant {
  /** Of the image. */
  readonly digest: Buffer
  readonly data: Buffer
  readonly contentType: string
}

/** The variants that were sent last, by the URL of their file. Each request decides who may see them. */
export type ReadyVariants = Lru<string, ReadyVariant>

/** Of an entry, in addition to its bytes and its key. */
const ENTRY_BYTES = 700

export function createReadyVariants(maxBytes: number): ReadyVariants {
  return new Lru({ maxWeight: maxBytes, weigh: ({ data }, key) => data.length + key.length + ENTRY_BYTES })
}

/** Keeps a variant, with bytes that hold no larger memory. */
export function keepVariant(variants: ReadyVariants, key: string, variant: ReadyVariant): void {
  const { digest, data, contentType } = variant
  variants.set(key, { digest: ownBytes(digest), data: ownBytes(data), contentType })
}
