import { createHash } from 'node:crypto'
import { gzip } from 'node:zlib'
import { splitHeader } from '@recto/lib/network/header-values.ts'
import type { FastifyReply, FastifyRequest, onSendHookHandler, RouteOptions } from 'fastify'
import { formatDigest } from './digest.ts'
import { appendHeader } from './headers/response-headers.ts'
import { addRouteHooks } from './hooks.ts'

/** Smaller responses fit into one packet uncompressed. */
export const MIN_COMPRESSED_BYTES = 1400
/** Text whose end is known: no streams of events or lines. */
const TEXT = /^(?:text\/(?!event-stream)[\w.+-]+|application\/(?:[\w.-]+\+)?json)\s*(?:;|$)/

/**
 * Compresses the text of GET responses where the client asks for it (RFC 9110, section 8.4). Streams, parts and what is
 * compressed already stay as they are. The only secret in these responses is the CSRF token, which is masked (BREACH).
 */
export function compressResponses(route: RouteOptions): void {
  if (route.method === 'GET') addRouteHooks(route, { onSend: compress })
  // The last hook of a HEAD route takes the payload away.
  else if (route.method === 'HEAD') route.onSend = [compress, route.onSend ?? []].flat()
}

const compress: onSendHookHandler = (request, reply, payload, done) => {
  if (!isText(reply, payload) || payload.length < MIN_COMPRESSED_BYTES) return done(null, payload)
  if (!/\baccept-encoding\b/i.test(String(reply.getHeader('vary')))) appendHeader(reply, 'Vary', 'Accept-Encoding')
  if (!takesGzip(request)) return done(null, payload)
  gzip(payload, (error, bytes) => {
    if (error) return done(error as never) // its types have no error
    describeCompressed(reply, bytes)
    done(null, bytes)
  })
}

function isText(reply: FastifyReply, payload: unknown): payload is string | Buffer {
  return (
    (typeof payload === 'string' || Buffer.isBuffer(payload)) &&
    reply.statusCode === 200 &&
    !reply.hasHeader('content-encoding') &&
    TEXT.test(String(reply.getHeader('content-type')))
  )
}

/** Whether a client prefers gzip by `Accept-Encoding` (RFC 9110, section 12.5.3); at equal weights it does. */
export function takesGzip({ headers }: FastifyRequest): boolean {
  const { 'accept-encoding': acceptedEncodings } = headers
  if (typeof acceptedEncodings !== 'string') return false
  const weights = new Map(splitHeader(acceptedEncodings.toLowerCase(), ',').map(parseWeight))
  const gzip = weights.get('gzip') ?? weights.get('x-gzip') ?? weights.get('*') ?? 0
  return gzip > 0 && gzip >= (weights.get('identity') ?? 0)
}

/** A coding with its weight: 1 if it has none, 0 if that is no number. */
function parseWeight(coding: string): [name: string, weight: number] {
  const [name = '', ...parameters] = splitHeader(coding, ';')
  const [, weight = 1] = parameters.flatMap((each) => /^q\s*=\s*(.*)$/.exec(each) ?? [])
  return [name, Number(weight) || 0]
}

/** A compressed response has an ETag and a digest of its own (RFC 9110, section 8.8.3.3; RFC 9530). */
function describeCompressed(reply: FastifyReply, bytes: Buffer): void {
  const { etag, 'repr-digest': digest } = reply.getHeaders()
  reply.removeHeader('Content-Length').header('Content-Encoding', 'gzip')
  if (typeof etag === 'string') reply.header('ETag', etag.replace(/"$/, '-gzip"'))
  if (digest !== undefined) reply.header('Repr-Digest', formatDigest(createHash('sha256').update(bytes).digest()))
}
