import type { Server } from './server.ts'

/** How the policy of one document differs from that of all others. */
interface DocumentPolicy {
  /** Style elements that carry this nonce apply: for an editor that makes its own. */
  readonly styleNonce?: string
  /** A document that our own pages show in a frame, where styles within it apply and nothing else is loaded. */
  readonly framed?: boolean
  /** Whether images of other sites are loaded. */
  readonly externalImages?: boolean
}

declare module 'fastify' {
  interface FastifyReply {
    documentPolicy: DocumentPolicy | undefined
  }
}

/** What every response says. */
const ALWAYS = {
  'X-Content-Type-Options': 'nosniff',
  // Not `no-referrer`: with that browsers send `Origin: null` with forms, which cannot be told from another site.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** What documents say beside their Content-Security-Policy. */
const PERMISSIONS = 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'

/** Anything else is shown by no browser as a document of this origin. */
const DATA = { 'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox" }

const STRICT_TRANSPORT = 'max-age=31536000'

/**
 * Sends with every response what keeps browsers from doing more with it than they should. Documents load from this origin
 * alone, but for images where `externalImages` is true.
 */
export function secureResponses(
  app: Server,
  { isHttps, externalImages }: { readonly isHttps: () => boolean; readonly externalImages: boolean },
): void {
  const document = {
    'Content-Security-Policy': documentPolicy({ externalImages }),
    'Permissions-Policy': PERMISSIONS,
  }
  app.decorateReply('documentPolicy', undefined)
  app.addHook('onSend', async (_request, reply) => {
    const type = reply.getHeader('content-type')
    reply.headers(ALWAYS)
    // A 304 says nothing of its own: what it carried would take the place of what the kept answer said.
    if (reply.statusCode !== 304) {
      if (!reply.hasHeader('content-security-policy')) {
        reply.headers(typeof type === 'string' && type.startsWith('text/html') ? document : DATA)
      }
      const own = reply.documentPolicy
      if (own) reply.header('Content-Security-Policy', documentPolicy({ externalImages, ...own }))
    }
    if (isHttps()) reply.header('Strict-Transport-Security', STRICT_TRANSPORT)
  })
}

/** No document lets a script run that stands in it. */
function documentPolicy({ styleNonce, framed, externalImages }: DocumentPolicy): string {
  if (framed) {
    return "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
  }
  const styles = styleNonce === undefined ? "'self'" : `'self' 'nonce-${styleNonce}'`
  const images = externalImages ? "'self' https: blob:" : "'self' blob:"
  return `default-src 'none'; style-src ${styles}; script-src 'self'; connect-src 'self'; font-src 'self'; frame-src 'self'; img-src ${images}; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`
}
