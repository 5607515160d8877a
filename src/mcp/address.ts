import { AppError } from '../errors.ts'
import { addressIn, fileAddressIn, type PageAddress } from '../http/addresses/page-address.ts'
import { ownOrigins } from '../lib/network/own-origins.ts'

const RESOURCE = 'recto://pages/'

/**
 * Parses the address of a page in one argument: `space/path`, a page URL of this service, or the URI of its resource.
 */
export function parseAddress(text: string, publicUrl: string): PageAddress {
  const found = fromUrl(text, publicUrl)
  if (found) return found
  const [space, ...segments] = text.split('/')
  if (space === undefined || segments.length === 0) {
    throw new AppError('invalid_path', `\`${text}\` is not \`space/path\` and no page URL.`)
  }
  return withoutSuffix({ space, path: segments.join('/') })
}

/** Parses the arguments `space` and `path`; `path` alone may be an address. */
export function addressOf(
  input: { readonly space?: string | undefined; readonly path: string },
  publicUrl: string,
): PageAddress {
  const found = fromUrl(input.path, publicUrl)
  if (found) return found
  if (input.space === undefined) return parseAddress(input.path, publicUrl)
  return withoutSuffix({ space: input.space, path: input.path })
}

/** Parses the arguments of a tool for files: `space` and `path`, or `space/path` or a file URL as `path`. */
export function fileAddressOf(
  { space, path }: { readonly space?: string | undefined; readonly path: string },
  publicUrl: string,
): PageAddress {
  const url = /^(?:https?:\/\/|\/files\/)/.test(path) ? URL.parse(path, publicUrl) : undefined
  if (url && ownOrigins(publicUrl).includes(url.origin) && url.pathname.startsWith('/files/')) {
    const [slug = '', ...segments] = url.pathname.slice('/files/'.length).split('/')
    return decodedFile(slug, segments, path)
  }
  if (space !== undefined) return fileAddressIn({ space, path })
  const [slug = '', ...segments] = path.split('/')
  if (segments.length > 0) return fileAddressIn({ space: slug, path: segments.join('/') })
  throw new AppError('invalid_path', `\`${path}\` is not \`space/path\` and no file URL.`)
}

function decodedFile(slug: string, segments: readonly string[], text: string): PageAddress {
  try {
    return fileAddressIn({
      space: decodeURIComponent(slug),
      path: segments.map(decodeURIComponent).join('/'),
    })
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    throw new AppError('invalid_path', `\`${text}\` has a percent-encoding that is not UTF-8.`)
  }
}

/** The address in a URL of a page; undefined for other texts, an error for URLs of other sites and screens. */
function fromUrl(text: string, publicUrl: string): PageAddress | undefined {
  if (text.startsWith(RESOURCE)) return decoded(text.slice(RESOURCE.length), text)
  if (!/^(?:https?:\/\/|\/pages\/)/.test(text)) return undefined
  const url = URL.parse(text, publicUrl)
  const pages = '/pages/'
  if (!url || !ownOrigins(publicUrl).includes(url.origin) || !url.pathname.startsWith(pages)) {
    throw new AppError('invalid_path', `\`${text}\` is no page URL of ${publicUrl}.`)
  }
  return decoded(url.pathname.slice(pages.length), text)
}

function decoded(encoded: string, text: string): PageAddress {
  const [space = '', ...segments] = encoded.split('/')
  try {
    return withoutSuffix({
      space: decodeURIComponent(space),
      path: segments.map(decodeURIComponent).join('/'),
    })
  } catch (error) {
    if (!(error instanceof URIError)) throw error
    throw new AppError('invalid_path', `\`${text}\` has a percent-encoding that is not UTF-8.`)
  }
}

function withoutSuffix(input: PageAddress): PageAddress {
  const { space, path } = addressIn(input)
  return { space, path }
}
