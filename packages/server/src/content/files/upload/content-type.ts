import { isUtf8 } from 'node:buffer'
import { fileTypeFromBuffer } from 'file-type'
import { imageSize } from 'image-size'

/** The type of a file by its first bytes (content sniffing); the type that the sender declares is ignored. */
export interface DetectedType {
  readonly contentType: string
  /** Pixels as displayed; null if it is no image. */
  readonly width: number | null
  readonly height: number | null
}

const UNKNOWN = 'application/octet-stream'
/** The type of bytes without a known type. */
export const UNKNOWN_TYPE: DetectedType = { contentType: UNKNOWN, width: null, height: null }
const SVG = 'image/svg+xml'
/** Control characters that do not occur in text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it looks for
const BINARY = /[\0-\x08\x0e-\x1a\x1c-\x1f]/
/** Declarations and comments that may precede the root element of an SVG. */
const MAX_PROLOG = 20
/** An image of more pixels is rejected. */
const MAX_PIXELS = 2 ** 31 - 1

/** The media type of bytes by their first chunk. HTML and other text is `text/plain`, which no browser runs. */
export async function detectType(head: Buffer): Promise<DetectedType> {
  const contentType = await findTypeByContent(head)
  const size = contentType.startsWith('image/') ? readPixels(head) : undefined
  return { contentType, width: size?.width ?? null, height: size?.height ?? null }
}

async function findTypeByContent(head: Buffer): Promise<string> {
  const text = decodeText(head)
  if (text !== undefined && beginsAsSvg(text)) return SVG
  const mime = (await fileTypeFromBuffer(head).catch(() => undefined))?.mime
  // XML may contain scripts under many types: only types that are known as text are returned.
  if (text !== undefined && (mime === undefined || /xml|html|^text\//.test(mime))) return 'text/plain; charset=utf-8'
  return mime ?? UNKNOWN
}

/** Whether the root element is `svg`, after a declaration, comments and a document type. */
function beginsAsSvg(text: string): boolean {
  let rest = text.trimStart()
  for (let skippedBytes = 0; skippedBytes < MAX_PROLOG && /^<[?!]/.test(rest); skippedBytes++) {
    const end = rest.startsWith('<!--') ? '-->' : /^<![^>]*\[/.test(rest) ? ']>' : '>'
    const at = rest.indexOf(end)
    if (at === -1) return false
    rest = rest.slice(at + end.length).trimStart()
  }
  return /^<svg[\s>]/i.test(rest)
}

/** The bytes as text if they are UTF-8; the last character may be incomplete. */
function decodeText(head: Buffer): string | undefined {
  for (let cut = 0; cut < 4 && cut <= head.length; cut++) {
    const bytes = head.subarray(0, head.length - cut)
    if (!isUtf8(bytes)) continue
    const text = bytes.toString('utf8')
    return BINARY.test(text) ? undefined : text
  }
  return undefined
}

function readPixels(head: Buffer): { readonly width: number; readonly height: number } | undefined {
  try {
    const { width, height, orientation = 1 } = imageSize(head)
    if (!isPixels(width) || !isPixels(height)) return undefined
    // EXIF orientations from 5 on are rotated by 90 degrees.
    return orientation >= 5 ? { width: height, height: width } : { width, height }
  } catch {
    return undefined // an image with an invalid header has no known size
  }
}

function isPixels(value: number): boolean {
  return Number.isInteger(value) && value > 0 && value <= MAX_PIXELS
}

const INLINE = /^(?:image\/(?!svg\+xml)|audio\/|video\/|application\/pdf$)/

/** Whether a browser may show it in place: images, sound, video and PDF, but no SVG, which may have scripts. */
export function isInline(contentType: string): boolean {
  return INLINE.test(contentType)
}

/**
 * A sandboxed document has an opaque origin, so that no script of a file runs with the rights of this one. Only
 * resources that browsers create to show images, sound and video may load.
 */
export const FILE_POLICY =
  "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"
