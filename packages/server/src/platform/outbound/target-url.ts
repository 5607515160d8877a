import type { ErrorCode } from '@recto/contract/errors.ts'
import { parseAddress } from '@recto/lib/network/address-ranges.ts'

/** The targets that a deployment allows for webhooks. */
export interface Reach {
  readonly allowHttp: boolean
  readonly allowPrivate: boolean
  /** Whether connections to an address are allowed. */
  readonly isPublic: (address: string) => boolean
}

export interface UrlProblem {
  readonly code: Extract<ErrorCode, `webhook_url_${string}`>
  /** The mistake in the URL, as the rest of a sentence that starts with "The URL". */
  readonly message: string
}

const MAX_LENGTH = 2048
/** White space and control characters, which URL parsers drop silently. */
const HIDDEN = /[\s\p{Cc}]/u
/**
 * A label of a name that DNS can hold (RFC 1035, section 2.3.4), as far as names of hosts go, and the length of all
 * of them. No host has a hyphen at the end of a label (RFC 1123, section 2.1); some have underscores, which resolvers
 * find.
 */
const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/
const MAX_NAME_LENGTH = 253
const LOCAL_NAME = /(^|\.)localhost\.?$/

/**
 * Normalises the URL, or returns why it is rejected. Names are not resolved: that is done for each attempt. Addresses
 * are checked in the form of the URL parser, because they have many notations.
 */
export function checkTargetUrl(text: string, reach: Reach): URL | UrlProblem {
  const trimmedText = text.trim()
  if (trimmedText.length > MAX_LENGTH) return invalid(`has more than ${MAX_LENGTH} characters`)
  if (HIDDEN.test(trimmedText)) return invalid('holds white space or control characters')
  if (!/^https?:\/\/[^/\\?#]/i.test(trimmedText)) return invalid('does not begin with https://')
  const url = URL.parse(trimmedText)
  if (!url) return invalid('cannot be parsed')
  if (url.href.length > MAX_LENGTH) return invalid(`has more than ${MAX_LENGTH} characters`)
  if (url.username !== '' || url.password !== '') return invalid('holds credentials')
  if (!isResolvable(readHost(url))) return invalid('names a host that no DNS can hold')
  if (url.port === '0') return invalid('has the port 0')
  if (url.protocol === 'http:' && !reach.allowHttp) {
    return { code: 'webhook_url_not_https', message: 'uses plain http, which this deployment does not allow' }
  }
  if (!reach.allowPrivate && isPrivateHost(readHost(url), reach)) {
    return { code: 'webhook_url_private', message: 'names a host that is not public' }
  }
  // It is never sent.
  url.hash = ''
  return url
}

/** The host of a URL, an IPv6 address without its brackets. */
function readHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1')
}

/** Whether the host is an address, or a name that DNS can hold. */
function isResolvable(host: string): boolean {
  if (parseAddress(host) !== undefined) return true
  const name = host.replace(/\.$/, '')
  return name.length <= MAX_NAME_LENGTH && name.split('.').every((label) => LABEL.test(label))
}

function isPrivateHost(host: string, reach: Reach): boolean {
  if (parseAddress(host) === undefined) return LOCAL_NAME.test(host)
  return !reach.isPublic(host)
}

function invalid(message: string): UrlProblem {
  return { code: 'webhook_url_invalid', message }
}
