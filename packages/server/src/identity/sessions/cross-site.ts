import { AppError } from '@recto/contract/errors.ts'
import type { FastifyRequest } from 'fastify'

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether a method changes nothing (RFC 9110, section 9.2.1). */
export function isSafe(method: string): boolean {
  return SAFE.has(method)
}

/**
 * Rejects with `cross_site` an unsafe request that a browser sent from another site, as Go's
 * `http.CrossOriginProtection` does. For requests whose credential browsers attach automatically, and for signing in.
 */
export function rejectCrossSite(request: FastifyRequest, publicUrl: string): void {
  if (isSafe(request.method)) return
  const { origin, host } = request.headers
  const site = request.headers['sec-fetch-site']
  if (site === 'same-origin' || site === 'none') return
  if (origin !== undefined && origin === publicUrl) return
  // Neither header: not a current browser, so that no cookie is misused.
  if (site === undefined && origin === undefined) return
  // A browser without Fetch Metadata: `Host` is the host to which the browser sent the request.
  if (site === undefined && origin !== undefined && host !== undefined && URL.parse(origin)?.host === host) return
  const detail =
    'The request came from another site: ' +
    'a browser that is signed in changes things only from the pages of this service.'
  throw new AppError('cross_site', detail)
}
