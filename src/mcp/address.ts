import { AppError } from '../errors.ts'
import { addressIn, fileAddressIn, type PageAddress, parseSlug } from '../http/addresses/page-address.ts'
import { subResourceLength } from '../http/addresses/page-url-rewrite.ts'
import { ownOrigins } from '../lib/network/own-origins.ts'

const RESOURCE = 'recto://pages/'
const URL_START = /^(?:https?:\/\/|\/pages\/|recto:\/\/pages\/)/

/**
 * Parses the address of a page in one argument: `space/path`, a page URL of this service, or the URI of its resource.
 */
export function parseAddress(text: string, publicUrl: string): PageAddress {
  const found = fromUrl(text, publicUrl)
  if (found) return found
  const [space = '', ...segments] = withoutSlashes(text).split('/')
  if (segments.length === 0) {
    throw new AppError('invalid_path', `\`${text}\` is not \`space/path\` and no page URL.`)
  }
  return withoutSuffix({ space, path: segments.join('/') })
}

/** Parses the address of a page in a list: with `space` a path in it, unless the text begins with the space. */
export function parseAddressIn(text: string, space: string | undefined, publicUrl: string): PageAddress {
  const isPath = space !== undefined && !URL_START.test(text) && !withoutSlashes(text).startsWith(`${space}/`)
  return isPath ? addressOf({ space, path: text }, publicUrl) : parseAddress(text, publicUrl)
}

/** A path without `./` or `/` before it and `/` after it, as people and programs write them. */
function withoutSlashes(path: string): string {
  let end = path.length
  while (end > 0 && path[end - 1] === '/') end--
  return pathPrefix(path.slice(0, end))
}

/** A prefix of paths, of which the slash at the end counts. */
export function pathPrefix(text: string): string {
  return text.replace(/^(?:\.?\/)+/, '')
}

/**
 * Parses the target of a move: a path, or a page URL. If the page itself was given by its address (`from`), the target may
 * begin with the space in the same way.
 */
export function targetAddressOf(
  input: {
    readonly to: string
    readonly toSpace: string | undefined
    readonly from: PageAddress | undefined
  },
  publicUrl: string,
): { readonly space?: string; readonly path: string } {
  const { to, toSpace, from } = input
  const url = fromUrl(to, publicUrl)
  if (url) return url
  const path = withoutSlashes(to)
  if (toSpace !== undefined) return { space: parseSlug(toSpace), path }
  return { path: from && path.startsWith(`${from.space}/`) ? path.slice(from.space.length + 1) : path }
}

/** The version that a page URL names (`?version=3`). */
export function versionInUrl(text: string): number | undefined {
  const version = URL_START.test(text) ? URL.parse(text, 'http://localhost')?.searchParams.get('version') : ''
  return /^[1-9]\d{0,8}$/.test(version ?? '') ? Number(version) : undefined
}

/** Parses the arguments `space` and `path`; `path` alone may be an address. */
export function addressOf(
  input: { readonly space?: string | undefined; readonly path: string },
  publicUrl: string,
): PageAddress {
  const found = fromUrl(input.path, publicUrl)
  if (found) return found
  if (input.space === undefined) return parseAddress(input.path, publicUrl)
  return withoutSuffix({ space: input.space, path: withoutSlashes(input.path) })
}

/** Parses the arguments of a tool for files: `space` and `path`, or `space/path` or a file URL as `path`. */
export function fileAddressOf(
  { space, path }: { readonly space?: string | undefined; readonly path: string },
  publicUrl: string,
): PageAddress {
  if (/^(?:https?:\/\/|\/files\/)/.test(path)) {
    return fileAddressIn(decoded(pathInUrl(path, 'file', publicUrl).split('/'), path))
  }
  const plain = withoutSlashes(path)
  if (space !== undefined) return fileAddressIn({ space, path: plain })
  const [slug = '', ...segments] = plain.split('/')
  if (segments.length > 0) return fileAddressIn({ space: slug, path: segments.join('/') })
  throw new AppError('invalid_path', `\`${path}\` is not \`space/path\` and no file URL.`)
}

/** The address in a URL of a page; undefined for other texts, an error for URLs of other sites and screens. */
function fromUrl(text: string, publicUrl: string): PageAddress | undefined {
  if (text.startsWith(RESOURCE)) return withoutSuffix(decoded(text.slice(RESOURCE.length).split('/'), text))
  if (!/^(?:https?:\/\/|\/pages\/)/.test(text)) return undefined
  const [space = '', ...segments] = withoutSlashes(pathInUrl(text, 'page', publicUrl)).split('/')
  // The URL of its links, its versions or its metadata is that of the page, too.
  const own = segments.slice(0, segments.length - subResourceLength(segments))
  return withoutSuffix(decoded([space, ...own], text))
}

/** What follows `/pages/` or `/files/` in a URL of this service. */
function pathInUrl(text: string, kind: 'page' | 'file', publicUrl: string): string {
  const url = URL.parse(text, publicUrl)
  const start = `/${kind}s/`
  if (url && ownOrigins(publicUrl).includes(url.origin) && url.pathname.startsWith(start))
    return url.pathname.slice(start.length)
  throw new AppError('invalid_path', `\`${text}\` is no ${kind} URL of ${publicUrl}.`)
}

function decoded([space = '', ...segments]: readonly string[], text: string): PageAddress {
  try {
    return { space: decodeURIComponent(space), path: segments.map(decodeURIComponent).join('/') }
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    throw new AppError('invalid_path', `\`${text}\` has a percent-encoding that is not UTF-8.`)
  }
}

function withoutSuffix(input: PageAddress): PageAddress {
  const { space, path } = addressIn(input)
  return { space, path }
}
