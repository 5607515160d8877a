import http, { type IncomingHttpHeaders } from 'node:http'
import https from 'node:https'
import { filteredLookup, type Resolve } from './ssrf-filter.ts'
import { checkTargetUrl, type Reach } from './target-url.ts'

/** The dependencies of a fetch. */
export interface Fetching {
  readonly reach: Reach
  readonly resolve: Resolve
  /** Further certificate authorities that are trusted. */
  readonly ca?: string
}

/** The response to a fetch: its status was 200. */
export interface Fetched {
  readonly body: Buffer
  readonly headers: IncomingHttpHeaders
}

export interface FetchLimits {
  readonly maxBytes: number
  /** Timeout of the complete fetch, from the DNS lookup to the last byte. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** Could not be fetched; the message says why. */
class FetchError extends Error {
  override readonly name = 'FetchError'
}

/** Downloads a URL through the SSRF filter: pinned to checked addresses, without redirects, within limits. */
export function fetchFiltered(fetching: Fetching, address: string, limits: FetchLimits): Promise<Fetched> {
  const url = checkTargetUrl(address, fetching.reach)
  if (!(url instanceof URL)) return Promise.reject(new FetchError(`the address ${url.message}`))
  const isAllowed = fetching.reach.allowPrivate ? () => true : fetching.reach.isPublic
  const signal = AbortSignal.any([limits.signal, AbortSignal.timeout(limits.timeoutMs)])
  const { request } = url.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      outgoing.destroy()
      reject(error instanceof FetchError ? error : new FetchError((error as Error).message))
    }
    const outgoing = request(url, {
      agent: false,
      lookup: filteredLookup(fetching.resolve, isAllowed),
      headers: { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'Recto' },
      signal,
      ...(fetching.ca !== undefined && { ca: fetching.ca }),
    })
    outgoing.once('error', fail)
    outgoing.once('response', async (response) => {
      try {
        if (response.statusCode !== 200) throw new FetchError(`the response has the status ${response.statusCode}`)
        const parts: Buffer[] = []
        let size = 0
        for await (const part of response as AsyncIterable<Buffer>) {
          size += part.length
          if (size > limits.maxBytes) throw new FetchError(`the response has more than ${limits.maxBytes} bytes`)
          parts.push(part)
        }
        resolve({ body: Buffer.concat(parts), headers: response.headers })
      } catch (error) {
        fail(error)
      }
    })
    outgoing.end()
  })
}
