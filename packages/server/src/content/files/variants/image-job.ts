/** The input of the process, as JSON in its argument. */
export interface ScaleOptions {
  /** The number of bytes on standard input. */
  readonly size: number
  /** The width in pixels; absent: as wide as `maxPixels` allows. */
  readonly width?: number
  /** The side of a square that is cut out of the middle, as a still image; smaller if the image is. */
  readonly side?: number
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
