import { AppError } from '@recto/contract/errors.ts'
import { addressIn, fileAddressIn, isSlug, type PageAddress } from '@recto/contract/page-address.ts'
import { fileUrl, pageUrl, subResourceLength } from '@recto/contract/page-url.ts'
import { ownOrigins } from '@recto/lib/network/own-origins.ts'
import { readableSpaces } from '../../access/space.ts'
import { filesOfSpace } from '../../content/files/list.ts'
import type { PagesCtx } from '../../content/pages/ctx.ts'
import { pagesOfSpace } from '../../content/pages/list.ts'
import { invalidArgument } from './arguments.ts'

const RESOURCE = 'recto://pages/'
const URL_START = /^(?:https?:\/\/|\/pages\/|recto:\/\/pages\/)/

/**
 * Parses the address of a page in one argument: `space/path`, a page URL of this service, or the URI of its resource.
 */
export function parseAddress(text: string, publicUrl: string): PageAddress {
  if (URL_START.test(text)) return fromUrl(text, publicUrl)
  const [space = '', ...segments] = withoutSlashes(text).split('/')
  if (segments.length === 0) throw new AppError('invalid_path', `\`${text}\` is not \`space/path\` and no page URL.`)
  return withoutSuffix({ space, path: segments.join('/') })
}

/** The space that an address of a page or file names, whether or not the address is valid. */
export function spaceIn(text: string): string | undefined {
  return /^(?:(?:https?:\/\/[^/]*)?\/(?:pages|files)\/|recto:\/\/pages\/|(?:\.?\/)*)([^/?#]*)/.exec(text)?.[1]
}

/** Parses the addresses of pages in a list: with `space` paths in it, which may begin with the space. */
export async function addressesIn(
  ctx: PagesCtx,
  texts: readonly string[],
  space: string | undefined,
): Promise<PageAddress[]> {
  const { publicUrl } = ctx.config
  if (space === undefined) return texts.map((text) => parseAddress(text, publicUrl))
  const addresses = []
  for (const path of texts) addresses.push(await resolveAddress(ctx, { space, path }, 'write'))
  return addresses
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
 * Parses the target of a move of `from`: a path, or a page URL; with a slash at its end the folder that the page goes
 * into.
 */
export async function parseTarget(
  ctx: PagesCtx,
  { to, toSpace, from }: { readonly to: string; readonly toSpace: string | undefined; readonly from: PageAddress },
): Promise<PageAddress> {
  const name = from.path.slice(from.path.lastIndexOf('/') + 1)
  if (URL_START.test(to)) {
    const plain = to.replace(/[?#].*$/s, '')
    const address = fromUrl(plain.endsWith('/') ? plain + encodeURIComponent(name) : to, ctx.config.publicUrl)
    return ownAddress(address, toSpace, 'toSpace')
  }
  const path = withoutSlashes(to.endsWith('/') ? to + name : to)
  const target = withoutSuffix({ space: toSpace ?? from.space, path })
  if (target.path.startsWith(`${target.space}/`)) return withoutRepetition(ctx, target, 'target')
  if (toSpace === undefined) await rejectOtherSpace(ctx, target)
  return target
}

/** A target without `toSpace` may begin with another space, as lists show addresses. */
async function rejectOtherSpace(ctx: PagesCtx, { space, path }: PageAddress): Promise<void> {
  const [first = '', ...rest] = path.split('/')
  if (rest.length === 0 || !isSlug(first) || (await hasFolder(ctx, { space, path: first }))) return
  const spaces = await readableSpaces(ctx)
  if (!spaces.some(({ slug }) => slug === first)) return
  throw invalidArgument(
    'to',
    `begins with the space ${first}: send \`toSpace\`, or ${urls([
      { space: first, path: rest.join('/') },
      { space, path },
    ])}`,
  )
}

/** The version that a page URL names (`?version=3`). */
export function versionInUrl(text: string): number | undefined {
  const version = URL_START.test(text) ? URL.parse(text, 'http://localhost')?.searchParams.get('version') : ''
  return /^[1-9]\d{0,8}$/.test(version ?? '') ? Number(version) : undefined
}

/**
 * What an address is for: a read takes a repeated space as it is written where a page is there, a write does not guess.
 */
type Use = 'read' | 'write' | 'target'

/** Parses the arguments `space` and `path`; `path` alone may be an address. */
export async function resolveAddress(ctx: PagesCtx, { space, path }: AddressArguments, use: Use): Promise<PageAddress> {
  const { publicUrl } = ctx.config
  if (URL_START.test(path)) return ownAddress(fromUrl(path, publicUrl), space, 'space')
  if (space === undefined) return parseAddress(path, publicUrl)
  return withoutRepetition(ctx, withoutSuffix({ space, path: withoutSlashes(path) }), use)
}

/** Parses the arguments of a tool for files: `space` and `path`, or `space/path` or a file URL as `path`. */
export async function parseFileAddress(
  ctx: PagesCtx,
  { space, path }: AddressArguments,
  use: Use,
): Promise<PageAddress> {
  const { publicUrl } = ctx.config
  if (/^(?:https?:\/\/|\/files\/)/.test(path)) {
    const address = fileAddressIn(decoded(pathInUrl(path, 'file', publicUrl).split('/'), path))
    return ownAddress(address, space, 'space')
  }
  const plain = withoutSlashes(path)
  if (space !== undefined) return withoutRepetition(ctx, fileAddressIn({ space, path: plain }), use, 'file')
  const [slug = '', ...segments] = plain.split('/')
  if (segments.length > 0) return fileAddressIn({ space: slug, path: segments.join('/') })
  throw new AppError('invalid_path', `\`${path}\` is not \`space/path\` and no file URL.`)
}

interface AddressArguments {
  readonly space?: string | undefined
  readonly path: string
}

/** The address in a URL, if it is in the space that another argument names. */
function ownAddress(address: PageAddress, space: string | undefined, name: string): PageAddress {
  if (space === undefined || space === address.space) return address
  throw invalidArgument(name, `must be \`${address.space}\`, as in the URL, or be left out`)
}

/**
 * Lists show pages as `space/path`, so that paths come back with their space. A space that is repeated is dropped;
 * where there is a folder of its name, which the path may begin with as well, what exists decides, and if that does
 * not, `invalid_request`.
 */
async function withoutRepetition(
  ctx: PagesCtx,
  address: PageAddress,
  use: Use,
  resource: 'page' | 'file' = 'page',
): Promise<PageAddress> {
  const { space, path } = address
  if (!path.startsWith(`${space}/`)) return address
  const short = { space, path: path.slice(space.length + 1) }
  if (!(await hasFolder(ctx, { space, path: space }))) return short
  if (use !== 'target') {
    const [isLong, isShort] = await Promise.all([address, short].map((each) => exists(ctx, each, resource)))
    if (isLong && (use === 'read' || !isShort)) return address
    if (isShort && !isLong) return short
    if (use === 'read') return address
  }
  throw invalidArgument(use === 'target' ? 'to' : 'path', `is ambiguous: send ${urls([short, address], resource)}`)
}

/** The URLs between which the caller has to choose. */
function urls(addresses: readonly PageAddress[], resource: 'page' | 'file' = 'page'): string {
  const toUrl = resource === 'page' ? pageUrl : fileUrl
  return `the URL ${addresses.map(({ space, path }) => toUrl(space, path)).join(' or ')}`
}

/** Whether there is a page or a file of that path, or a folder. */
async function exists(ctx: PagesCtx, { space, path }: PageAddress, resource: 'page' | 'file'): Promise<boolean> {
  const list = resource === 'page' ? pagesOfSpace : filesOfSpace
  const { items } = await list(ctx, { space, prefix: path, limit: 1 })
  return items[0]?.path === path || hasFolder(ctx, { space, path })
}

async function hasFolder(ctx: PagesCtx, { space, path }: PageAddress): Promise<boolean> {
  const input = { space, prefix: `${path}/`, limit: 1 }
  const lists = await Promise.all([pagesOfSpace(ctx, input), filesOfSpace(ctx, input)])
  return lists.some(({ items }) => items.length > 0)
}

/** The address in a URL of a page (`URL_START`); an error for URLs of other sites and screens. */
function fromUrl(text: string, publicUrl: string): PageAddress {
  if (text.startsWith(RESOURCE)) return withoutSuffix(decoded(text.slice(RESOURCE.length).split('/'), text))
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
