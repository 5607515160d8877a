import { AppError } from '@recto/contract/errors.ts'
import { isSlug, type PageAddress, parsePagePath, splitMarkdownSuffix } from '@recto/contract/page-address.ts'
import { subResourceLength } from '@recto/contract/page-url.ts'
import { ownOrigins } from '@recto/lib/network/own-origins.ts'

/** The page that contains a link, and the public origin of the service. */
export interface LinkSource extends PageAddress {
  readonly publicOrigin: string
}

/** The address of a link. A relative link follows its page when the space gets another slug, others do not. */
export interface LinkTarget extends PageAddress {
  readonly slug: string
}

/** The file that a target may mean. */
export interface FileTarget extends LinkTarget {
  /** Whether it refers to this file only if there is one: else it means a page, or nothing. */
  readonly optional: boolean
}

const SCHEME = /^[a-z][a-z0-9+.-]*:/i
/** An origin that a URL parser leaves as it is, and which is no loopback name. */
const PLAIN_ORIGIN = /^https?:\/\/(?:[a-z0-9]+(?:-[a-z0-9]+)*\.){1,8}[a-z]{2,}(?=[/?#]|$)/

/**
 * The page address of a link in a body, whether or not the page exists; undefined for other targets. Recognised are
 * `/pages/<space>/<path>`, the same on our own origin, and relative targets that begin with `./` or `../` or are bare
 * and end in `.md`. Never throws.
 */
export function resolve(href: string, from: LinkSource): PageAddress | undefined {
  const target = resolveTarget(href, from)
  return target && { space: target.space, path: target.path }
}

/** The same, with the slug by which the link names the space: empty if it is relative, or names it `personal`. */
export function resolveTarget(href: string, from: LinkSource): LinkTarget | undefined {
  const trimmedHref = trimUrl(href)
  const local = withoutOrigin(trimmedHref, from.publicOrigin)
  if (local === undefined) return undefined
  const raw = local.replace(/[?#].*$/s, '')
  if (raw.startsWith('/')) {
    const address = fromAddress(raw, from)
    return address && { ...address, slug: address.space === 'personal' ? '' : address.space }
  }
  const address = /^\.\.?\//.test(raw) || raw.endsWith('.md') ? fromRelative(raw, from) : undefined
  return address && { ...address, slug: '' }
}

/**
 * The file address of a target in a body, whether or not the file exists. Images refer to files by
 * `/files/<space>/<path>`, by the same on our own origin, and by any relative target. So do links, except for targets
 * that end in `.md`; a relative one without the suffix of a known file type is optional. Never throws.
 */
export function resolveFileTarget(href: string, from: LinkSource, by: 'image' | 'link'): FileTarget | undefined {
  const trimmedHref = trimUrl(href)
  const raw = withoutOrigin(trimmedHref, from.publicOrigin)?.replace(/[?#].*$/s, '')
  if (raw === undefined || raw === '') return undefined
  if (raw.startsWith('/')) {
    const address = fromAddress(raw, from, 'file')
    return address && { ...address, slug: address.space === 'personal' ? '' : address.space, optional: false }
  }
  if (by === 'link' && raw.endsWith('.md')) return undefined
  const address = fromRelative(raw, from, 'file')
  return address && { ...address, slug: '', optional: by === 'link' && !hasFileSuffix(address.path) }
}

const SPACE = 0x20

/** Without what browsers remove (WHATWG URL, section 4.4): U+00A0 is not part of it. */
function trimUrl(href: string): string {
  const url = href.replace(/[\t\n\r]+/g, '')
  let start = 0
  let end = url.length
  while (start < end && url.charCodeAt(start) <= SPACE) start++
  while (end > start && url.charCodeAt(end - 1) <= SPACE) end--
  return url.slice(start, end)
}

/** The part after our own origin; undefined for other origins. */
function withoutOrigin(href: string, publicOrigin: string): string | undefined {
  if (!SCHEME.test(href) && !href.startsWith('//')) return href
  // Most of these lead to other sites, and parsing a URL takes a microsecond.
  const plain = PLAIN_ORIGIN.exec(href)?.[0]
  if (plain !== undefined && plain !== publicOrigin) return undefined
  const url = URL.parse(href, publicOrigin)
  if (url?.username !== '' || url.password !== '') return undefined
  if (url.origin !== publicOrigin && !ownOrigins(publicOrigin).includes(url.origin)) return undefined
  // Not `url.pathname`: that resolves dots and encodes, so that the address would differ from the written one.
  const path = /^(?:[a-z]+:)?\/\/[^/?#\\]*(\/.*)$/is.exec(href)?.[1]
  return path
}

/** By the grammar of page URLs: one that ends in the name of a sub-resource is not a page. */
function fromAddress(raw: string, from: LinkSource, resource: 'page' | 'file' = 'page'): PageAddress | undefined {
  const prefix = `/${resource}s/`
  if (!raw.startsWith(prefix)) return undefined
  const [first = '', ...segments] = raw.slice(prefix.length).split('/')
  if (segments.length === 0 || subResourceLength(segments, resource) > 0) return undefined
  const space = decode(first)
  const path = decode(segments.join('/'))
  if (space === undefined || path === undefined || !isSlug(space)) return undefined
  // In other spaces `personal` would mean another space for each reader.
  if (space === 'personal' && from.space !== 'personal') return undefined
  return toAddress(space, path, resource)
}

/** Relative to the folder of the page, as a path, not as a URL: in the page `a/x`, `./links` is `a/links`. */
function fromRelative(raw: string, from: LinkSource, resource: 'page' | 'file' = 'page'): PageAddress | undefined {
  const decodedHref = decode(raw)
  if (decodedHref === undefined) return undefined
  const path = from.path.split('/').slice(0, -1)
  const segments = decodedHref.split('/')
  for (const segment of segments) {
    if (segment === '..' && path.pop() === undefined) return undefined
    if (segment !== '..' && segment !== '.') path.push(segment)
  }
  // `..` at the end means a folder, and no page has the address of a folder.
  return /^\.\.?$/.test(segments.at(-1) ?? '') ? undefined : toAddress(from.space, path.join('/'), resource)
}

function toAddress(space: string, decodedHref: string, resource: 'page' | 'file'): PageAddress | undefined {
  try {
    return {
      space,
      path: parsePagePath(resource === 'page' ? splitMarkdownSuffix(decodedHref).path : decodedHref, resource),
    }
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** Decoded once. A `%` that begins no escape is literal, as in the HTML that we render. */
function decode(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'))
  } catch {
    return undefined
  }
}

/**
 * The suffixes of known file types: a relative link whose path ends in one refers to a file. Names of products end in
 * others, such as `Node.js`, `ASP.NET` and `v1.2`, so that these are not in the table.
 */
export const FILE_SUFFIXES = [
  // Images
  'apng avif bmp drawio eps excalidraw fig gif heic heif ico icns jfif jpe jpeg jpg jxl png psd puml sketch svg ' +
    'svgz tif tiff vsdx webp xcf',
  // Sound, video and fonts
  'aac aiff avi flac m4a m4v mid midi mkv mov mp3 mp4 mpeg mpg oga ogg ogv opus otf srt ttf vtt wav webm wma ' +
    'wmv woff woff2',
  // Documents
  'adoc asciidoc bib doc docm docx dot dotx dvi eml epub htm html ics ipynb key markdown mdx mobi msg numbers odg ' +
    'odp ods odt pdf pot',
  'potx pps ppsx ppt pptm pptx ps rst rtf tex textile txt vcf vsd xhtml xls xlsb xlsm xlsx',
  // Archives and programs
  '7z apk bin br bz2 cab deb dll dmg exe gz img iso jar msi pkg rar rpm tar tbz tgz txz war whl xz zip zst',
  // Code
  'asm bash bat c cc cfg cjs clj cmd cpp cs css csx cxx dart el erl ex exs f90 fs go gradle groovy h hh hpp hs java ' +
    'jl jsx kt kts less lua',
  'mjs mk ml mli nim nix patch php pl proto ps1 py pyi pyx rb rs sass scala scm scss sh sol sql svelte swift tcl tf ' +
    'tfvars toml ts tsx vb',
  'vbs vue wasm zsh',
  // Data
  'atom avro bak conf crt csv dat db diff env gpx graphql ini json json5 jsonc jsonl kml log lock mat ndjson npy ' +
    'parquet pem plist',
  'properties rdf rss sqlite toc tsv wsdl xml xsd xsl xslt yaml yml',
].flatMap((line) => line.split(' '))

/** A name before the suffix is needed, so that `.env` is none. */
const pattern = new RegExp(`[^/][.](?:${FILE_SUFFIXES.join('|')})$`, 'i')

/** Whether a path ends in the suffix of a known file type. */
export function hasFileSuffix(path: string): boolean {
  return pattern.test(path)
}
