import { AppError } from '@recto/contract/errors.ts'
import { isSlug, type PageAddress, parsePagePath, parseSlug } from '@recto/contract/page-address.ts'

const PREFIX = 'recto://pages/'
/** The URI templates (RFC 6570) of pages and of spaces. */
export const TEMPLATE = `${PREFIX}{space}/{+path}{?fromLine,fromColumn}`
export const SPACE_TEMPLATE = `${PREFIX}{space}{?cursor}`
const REQUEST_PREFIX = 'recto://change-requests/'
/** The URI template of change requests. */
export const REQUEST_TEMPLATE = `${REQUEST_PREFIX}{space}/{number}`

/** What the URI of a resource names: a page, a change request, or else a space. */
export interface ResourceAddress {
  readonly space: string
  readonly path?: string | undefined
  readonly number?: number | undefined
}

export function resourceUri({ space, path }: PageAddress): string {
  return (
    spaceUri(space) +
    path
      .split('/')
      .map((segment) => `/${encodeURIComponent(segment)}`)
      .join('')
  )
}

export function spaceUri(slug: string): string {
  return PREFIX + encodeURIComponent(slug)
}

/** Parses a resource URI. Throws `not_found` for every other text. */
export function parseResourceUri(uri: string): ResourceAddress & { readonly query: URLSearchParams } {
  if (uri.startsWith(REQUEST_PREFIX)) return parseRequestUri(uri)
  if (!uri.startsWith(PREFIX)) throw resourceNotFound(uri)
  const queryAt = uri.indexOf('?')
  const end = queryAt === -1 ? uri.length : queryAt
  const [space = '', ...segments] = uri.slice(PREFIX.length, end).split('/')
  try {
    return {
      space: parseSlug(decodeURIComponent(space)),
      path: segments.length === 0 ? undefined : parsePagePath(segments.map(decodeURIComponent).join('/')),
      query: new URLSearchParams(uri.slice(end)),
    }
  } catch (error) {
    // URIError: a percent-encoding that is not UTF-8.
    if (error instanceof AppError || error instanceof URIError) throw resourceNotFound(uri)
    throw error
  }
}

function parseRequestUri(uri: string) {
  const [, space = '', number] = /^([^/]+)\/([1-9]\d{0,8})$/.exec(uri.slice(REQUEST_PREFIX.length)) ?? []
  if (number === undefined || !isSlug(space)) throw resourceNotFound(uri)
  return { space, number: Number(number), query: new URLSearchParams() }
}

function resourceNotFound(uri: string): AppError {
  return new AppError('not_found', `Resource ${uri} does not exist.`)
}
