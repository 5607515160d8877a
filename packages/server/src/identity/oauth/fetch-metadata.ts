import { decodeUtf8, isJsonObject, parseJson } from '@recto/lib/json/json.ts'
import { Lru } from '@recto/lib/lru.ts'
import type { RunningConfig } from '../../access/ctx.ts'
import { type Fetching, fetchFiltered } from '../../platform/outbound/filtered-fetch.ts'
import { createPublicCheck, createResolver } from '../../platform/outbound/ssrf-filter.ts'
import { applicationType } from './client-metadata.ts'

export const MAX_DOCUMENT_BYTES = 64 * 1024
const TIMEOUT_MS = 5_000
/** A document that could not be fetched is not fetched again at once: the provider looks it up for its error. */
const FAILED_MS = 5_000
const MAX_FAILED = 1_000
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i
/** The header that determines how long the document is cached (RFC 9111). */
const CACHE_HEADERS = ['cache-control', 'expires'] as const

/** For tests only: not configurable. */
export type FetchInternals = Partial<Fetching> & { readonly timeoutMs?: number }

/**
 * Fetches a Client ID Metadata Document (draft-ietf-oauth-client-id-metadata-document): through the SSRF filter,
 * without redirects, within 5 seconds and 64 KiB, and only JSON.
 */
export function createMetadataFetch(config: RunningConfig, internals: FetchInternals = {}): typeof fetch {
  const fetching: Fetching = {
    resolve: createResolver(),
    reach: { allowHttp: false, allowPrivate: config.oauthAllowPrivateUrls, isPublic: createPublicCheck() },
    ...internals,
  }
  const timeoutMs = internals.timeoutMs ?? TIMEOUT_MS
  const failed = new Lru<string, { readonly at: number; readonly error: unknown }>({
    maxWeight: MAX_FAILED,
    weigh: () => 1,
  })
  return async (input) => {
    const url = input instanceof Request ? input.url : String(input)
    const before = failed.get(url)
    if (before && performance.now() - before.at < FAILED_MS) throw before.error
    try {
      return await fetchDocument(url)
    } catch (error) {
      failed.set(url, { at: performance.now(), error })
      throw error
    }
  }

  async function fetchDocument(url: string): Promise<Response> {
    const limits = { maxBytes: MAX_DOCUMENT_BYTES, timeoutMs, signal: new AbortController().signal }
    const { body, headers } = await fetchFiltered(fetching, url, limits)
    if (!JSON_TYPE.test(headers['content-type'] ?? '')) throw new Error('the document is not JSON')
    const cacheHeaders = CACHE_HEADERS.flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, value] as [string, string]]
    })
    return new Response(JSON.stringify(completed(body)), { headers: cacheHeaders })
  }
}

/** The document with the type of the client if its redirect URIs imply one, as for registrations. */
function completed(body: Buffer): unknown {
  const document = parseJson(decodeUtf8(body) ?? '')
  if (!isJsonObject(document)) return document
  return { ...document, application_type: applicationType(document.application_type, document.redirect_uris) }
}
