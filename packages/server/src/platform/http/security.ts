import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'

/** Exceptions of one document from the common policy. */
interface DocumentPolicy {
  /** Style elements with this nonce apply: for an editor that creates its own. */
  readonly styleNonce?: string
  /** A document for a frame in our own pages, in which styles apply and nothing else is loaded. */
  readonly framed?: boolean
  readonly externalImages?: boolean
  /** A CSP source to which a form may redirect besides this origin: browsers apply `form-action` there as well. */
  readonly formTarget?: string
  /** Whether the window that opened this one keeps its hold on it; by default the route decides. */
  readonly keepsOpener?: boolean
}

declare module 'fastify' {
  interface FastifyReply {
    documentPolicy: DocumentPolicy | undefined
  }
  interface FastifyContextConfig {
    /** Whether the route may be part of a window that another site has opened and waits for (OAuth). */
    isOauth?: boolean
    /** Whether the URL has a secret, which no other site and no index of pages may get. */
    hasSecretUrl?: boolean
  }
}

/** The headers of every response. */
const ALWAYS = {
  'X-Content-Type-Options': 'nosniff',
  // Not `no-referrer`: with that browsers send `Origin: null` with forms, as another site would.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

const SECRET_URL = { 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex, nofollow' }

/** The headers of documents besides their Content-Security-Policy. */
const PERMISSIONS = 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'

/** Browsers show no other content type as a document of this origin. */
const DATA = { 'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox" }

const STRICT_TRANSPORT = 'max-age=31536000'

/** Sets the security headers of all responses. Documents load from this origin only; images perhaps from others. */
export function secureResponses(config: Pick<Config, 'externalImages'> & { readonly publicUrl: string }) {
  const externalImages = config.externalImages === 'load'
  const document = { 'Content-Security-Policy': documentPolicy({ externalImages }), 'Permissions-Policy': PERMISSIONS }
  return (request: FastifyRequest, reply: FastifyReply): void => {
    const type = reply.getHeader('content-type')
    reply.headers(alwaysFor(request, reply))
    // A 304 must not replace the headers of the cached response.
    if (reply.statusCode !== 304) {
      if (!reply.hasHeader('content-security-policy')) {
        reply.headers(typeof type === 'string' && type.startsWith('text/html') ? document : DATA)
      }
      const own = reply.documentPolicy
      if (own) reply.header('Content-Security-Policy', documentPolicy({ externalImages, ...own }))
    }
    if (config.publicUrl.startsWith('https:')) reply.header('Strict-Transport-Security', STRICT_TRANSPORT)
  }
}

/** Another opener policy would cut the connection of a window of OAuth to its opener permanently. */
function alwaysFor({ routeOptions }: FastifyRequest, { documentPolicy }: FastifyReply) {
  const keepsOpener = documentPolicy?.keepsOpener ?? routeOptions.config?.isOauth
  const headers = routeOptions.config?.hasSecretUrl ? { ...ALWAYS, ...SECRET_URL } : ALWAYS
  return keepsOpener ? { ...headers, 'Cross-Origin-Opener-Policy': 'unsafe-none' } : headers
}

/** No document runs inline scripts. */
function documentPolicy({ styleNonce, framed, externalImages, formTarget }: DocumentPolicy): string {
  if (framed) {
    return (
      "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; " +
      "frame-ancestors 'self'"
    )
  }
  const styles = styleNonce === undefined ? "'self'" : `'self' 'nonce-${styleNonce}'`
  const images = externalImages ? "'self' https: blob:" : "'self' blob:"
  const forms = formTarget === undefined ? "'self'" : `'self' ${formTarget}`
  return (
    `default-src 'none'; style-src ${styles}; script-src 'self'; connect-src 'self'; font-src 'self'; ` +
    `frame-src 'self'; img-src ${images}; media-src 'self'; base-uri 'none'; form-action ${forms}; ` +
    `frame-ancestors 'none'`
  )
}
