import { extname } from 'node:path/posix'

/** The widths that `?width=` offers. A variant is never larger than its image. */
export const VARIANT_WIDTHS = [320, 640, 1280, 1920] as const

export type VariantWidth = (typeof VARIANT_WIDTHS)[number]
type VariantFormat = 'avif' | 'webp'

/** A variant: an image of a width, or one of at most a megapixel for multimodal models. */
export interface VariantSpec {
  readonly width: VariantWidth | 'megapixel'
  readonly format: VariantFormat
}

/** The maximum of pixels of an image that is decoded here. */
export const MAX_IMAGE_PIXELS = 100_000_000
/** Raster images that are decoded here. */
const RASTER = /^image\/(?:jpeg|png|apng|webp|gif|tiff|avif)$/
/** Images of which pages show variants: the others may be animated, or have a colour depth that cannot be decoded. */
const SHOWN_SMALLER = /^image\/(?:jpeg|png|webp|tiff)$/
/** The widest column of text of a page. */
const COLUMN = '46rem'

/** The stored attributes of an image. */
export interface ImageFacts {
  readonly contentType: string
  readonly width: number | null
  readonly height: number | null
}

/** Why there are no variants of a file; undefined: there are. */
export function whyNotScalable({ contentType, width, height }: ImageFacts): string | undefined {
  if (!RASTER.test(contentType)) return `Only raster images have smaller variants, and this is ${contentType}.`
  if (width === null || height === null) return 'The size of the image cannot be read.'
  return width * height > MAX_IMAGE_PIXELS
    ? `The image has ${width} × ${height} pixels: variants are made of images of at most ${MAX_IMAGE_PIXELS} pixels.`
    : undefined
}

/** The name under which a variant is stored, and the suffix of its ETag. */
export function variantName({ width, format }: VariantSpec): string {
  return `${width}.${format}`
}

/** The name under which a browser saves a variant: that of the file, with the suffix of the format. */
export function variantFileName(name: string, contentType: string): string {
  const stem = name.slice(0, name.length - extname(name).length)
  return `${stem}.${contentType.slice('image/'.length)}`
}

/** The attributes `srcset` and `sizes` of an image; empty for small files. `shownWidth` is that of the author. */
export function responsiveAttributes(
  image: ImageFacts & { readonly url: string },
  shownWidth: number | undefined,
): string {
  const { contentType, url, width } = image
  if (width === null || width <= VARIANT_WIDTHS[0]) return ''
  if (!SHOWN_SMALLER.test(contentType) || whyNotScalable(image) !== undefined) return ''
  const larger = VARIANT_WIDTHS.findIndex((variant) => variant >= width)
  const widths = larger === -1 ? VARIANT_WIDTHS : VARIANT_WIDTHS.slice(0, larger + 1)
  const query = url.includes('?') ? '&amp;' : '?'
  const candidates = widths.map((variant) => `${url}${query}width=${variant} ${Math.min(variant, width)}w`)
  const maxWidth = Math.min(shownWidth ?? width, width)
  const sizes =
    shownWidth === undefined ? `(max-width: ${COLUMN}) 100vw, min(${maxWidth}px, ${COLUMN})` : `${maxWidth}px`
  return ` srcset="${candidates.join(', ')}" sizes="${sizes}"`
}
