/** What the process is asked for, as JSON in its argument. */
export interface ScaleOptions {
  /** The number of bytes to come. */
  readonly size: number
  /** Pixels of a side; absent: as wide as `maxPixels` allows. */
  readonly width?: number
  /** Pixels of the result. */
  readonly maxPixels: number
  readonly format: 'avif' | 'webp'
  /** Pixels that may be decoded. */
  readonly limitPixels: number
  readonly maxBytes: number
}

/** The first line of the result. */
export interface ScaledHeader {
  readonly contentType: string
  readonly width: number
  readonly height: number
}

/** The exit code for bytes that cannot be decoded, EX_DATAERR of BSD. */
export const UNREADABLE = 65
