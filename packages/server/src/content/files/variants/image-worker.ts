/**
 * Scales an image in a separate process, so that a decoder that is attacked or crashes affects nothing else. The bytes
 * are on standard input; the first line of the result says what follows. 65: it is no image.
 */
import sharp, { type Metadata, type Sharp } from 'sharp'
import { type ScaledHeader, type ScaleOptions, UNREADABLE } from './image-job.ts'

/** Frames of an animation, in pixels together: larger ones become a still image. */
const ANIMATED_PIXELS = 32_000_000
/** The maximum side of a WebP. */
const MAX_SIDE = 16_383
/** Attempts to meet the size limit: scale factors, and qualities. */
const ATTEMPTS = [
  { share: 1, webp: 80, avif: 55 },
  { share: 1, webp: 55, avif: 40 },
  { share: 0.6, webp: 55, avif: 40 },
  { share: 0.3, webp: 40, avif: 30 },
  { share: 0.1, webp: 40, avif: 30 },
] as const

async function main(options: ScaleOptions): Promise<void> {
  sharp.cache(false)
  sharp.concurrency(1)
  // Only decoders of raster images: no documents, which may refer to other files.
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({
    operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Tiff', 'Heif'].map((decoder) => `VipsForeignLoad${decoder}`),
  })
  const { header, data } = await scale(await readInput(options.size), options)
  process.stdout.write(`${JSON.stringify(header)}\n`)
  process.stdout.write(data)
}

async function readInput(size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  for await (const chunk of process.stdin) at += (chunk as Buffer).copy(bytes, at)
  if (at !== size) throw new Error('the bytes are not complete')
  return bytes
}

async function scale(
  input: Buffer,
  options: ScaleOptions,
): Promise<{ readonly header: ScaledHeader; readonly data: Buffer }> {
  // A damaged image is decoded as far as browsers show it.
  const common = { limitInputPixels: options.limitPixels, failOn: 'none' } as const
  const facts = await sharp(input, common).metadata()
  const animated = options.side === undefined && isAnimated(facts)
  const format = animated ? 'webp' : options.format
  for (const attempt of ATTEMPTS) {
    const image = sharp(input, { ...common, animated })
      .autoOrient()
      .resize(computeSize(facts, options, attempt.share))
    const { data, info } = await encoded(image, format, attempt[format]).toBuffer({ resolveWithObject: true })
    const height = info.pageHeight ?? info.height
    const header = { contentType: `image/${format}`, width: info.width, height }
    if (data.length <= options.maxBytes) return { header, data }
  }
  throw new Error('no variant of the image is small enough')
}

/** sharp removes metadata by default, such as the position where a photograph was taken. */
function encoded(image: Sharp, format: ScaleOptions['format'], quality: number): Sharp {
  return format === 'avif' ? image.avif({ quality, effort: 1 }) : image.webp({ quality, smartSubsample: true })
}

function isAnimated({ pages = 1, width, height, format }: Metadata): boolean {
  if (pages === 1 || (format !== 'gif' && format !== 'webp')) return false
  return width * height * pages <= ANIMATED_PIXELS
}

/** The size of the result as displayed: never larger than the image. */
function computeSize({ autoOrient: { width, height } }: Metadata, options: ScaleOptions, share: number) {
  if (options.side !== undefined) {
    const side = Math.max(1, Math.floor(share * Math.min(options.side, width, height)))
    return { width: side, height: side, fit: 'cover' } as const
  }
  const factor =
    share *
    Math.min(
      1,
      (options.width ?? width) / width,
      Math.sqrt(options.maxPixels / (width * height)),
      MAX_SIDE / height,
      MAX_SIDE / width,
    )
  const side = (length: number) => Math.max(1, Math.floor(length * factor))
  return { width: side(width), height: side(height), fit: 'fill' } as const
}

try {
  await main(JSON.parse(process.argv[2] ?? ''))
} catch (error) {
  process.stderr.write(String(error))
  process.exitCode = UNREADABLE
  // The rest of the input is not needed.
  process.stdin.destroy()
}
