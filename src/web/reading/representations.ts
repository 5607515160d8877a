import type { FastifyReply, FastifyRequest } from 'fastify'
import { checkReadConditions, isNotModified } from '../../access/preconditions.ts'
import { chooseType } from '../../http/negotiate.ts'
import { etagOf } from '../../lib/etag.ts'
import { type ReadPage, readLatestBody, readPage } from '../../pages/read.ts'
import type { PageDocument, PageDocuments } from './page-documents.ts'
import { pageLinkHeader } from './page-link-header.ts'

type PageType = 'text/html' | 'text/markdown' | 'application/json'

/** Sends the negotiated representation, or 304 if the caller has it already. */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  documents: PageDocuments,
  input: ReadPage & { readonly markdown: boolean; readonly externalImages?: true | undefined },
): Promise<FastifyReply> {
  const link = pageLinkHeader(request.ctx.config.publicUrl, input, input.version)
  const type: PageType = input.markdown
    ? 'text/markdown'
    : chooseType(request, ['text/html', 'text/markdown', 'application/json'])
  if (type === 'text/markdown' && input.version === undefined) {
    const { version, body, updatedAt } = await readLatestBody(request.ctx, input)
    return sendBytes(request, reply, { type, version, etag: etagOf(version), bytes: body, updatedAt, link })
  }
  const revision = await readPage(request.ctx, { ...input, links: type === 'text/html' })
  const { externalImages } = input
  const document = type === 'text/html' ? await documents.documentOf(revision, { externalImages }) : undefined
  if (document && externalImages) reply.documentPolicy = { externalImages }
  const { version } = revision
  const { updated_at: updatedAt } = revision.row
  const etag = etagOf(version, document?.digest ?? (type === 'application/json' ? 'json' : undefined))
  if (type === 'application/json') {
    if (isKnown(request, reply, { version, etag, updatedAt, link })) return reply.code(304).send()
    const page = await revision.page()
    return reply
      .type('application/json; charset=utf-8')
      .send({ ...page, body: revision.content.body.toString('utf8') })
  }
  if (document && takesGzip(request) && document.bytes.length >= MIN_ZIPPED_BYTES) {
    return sendZipped(request, reply, { document, version, updatedAt, link })
  }
  const bytes = document?.bytes ?? revision.content.body
  return sendBytes(request, reply, { type, version, etag, bytes, updatedAt, link })
}

function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  shown: {
    readonly type: PageType
    readonly version: number
    readonly etag: string
    readonly bytes: Buffer
    readonly updatedAt: Date
    readonly link: string
  },
): FastifyReply {
  if (isKnown(request, reply, shown)) return reply.code(304).send()
  return reply.type(`${shown.type}; charset=utf-8`).send(shown.bytes)
}

/** Smaller ones fit into one packet uncompressed. */
const MIN_ZIPPED_BYTES = 1400
const GZIP = /(?:^|[\s,])gzip(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i

function takesGzip(request: FastifyRequest): boolean {
  const { 'accept-encoding': encodings } = request.headers
  return typeof encodings === 'string' && GZIP.test(encodings)
}

/** A compressed document is a representation of its own, with its own ETag (RFC 9110, section 8.8.3.3). */
async function sendZipped(
  request: FastifyRequest,
  reply: FastifyReply,
  shown: {
    readonly document: PageDocument
    readonly version: number
    readonly updatedAt: Date
    readonly link: string
  },
): Promise<FastifyReply> {
  const etag = etagOf(shown.version, `${shown.document.digest}-gzip`)
  if (isKnown(request, reply, { ...shown, etag })) return reply.code(304).send()
  return reply
    .header('Content-Encoding', 'gzip')
    .type('text/html; charset=utf-8')
    .send(await shown.document.zipped())
}

/**
 * Evaluates the conditions of the request in the order of RFC 9110, section 13.2.2, and sets the headers of every
 * representation; returns whether the caller has this one already.
 */
function isKnown(
  request: FastifyRequest,
  reply: FastifyReply,
  shown: { readonly version: number; readonly etag: string; readonly updatedAt: Date; readonly link: string },
): boolean {
  checkReadConditions(shown, request.headers)
  reply.headers({
    ETag: shown.etag,
    'Last-Modified': shown.updatedAt.toUTCString(),
    Vary: 'Accept, Accept-Encoding',
    Link: shown.link,
    'Cache-Control': 'private, no-cache',
  })
  return isNotModified(shown, request.headers)
}
