import type { FastifyReply, FastifyRequest } from 'fastify'
import { chooseType } from '../http/negotiate.ts'
import { etagOf, noneMatch } from '../lib/etag.ts'
import { type PageRevision, type ReadPage, readLatestBody, readPage } from './read.ts'

/** A representation of a page, ready to be sent. */
export interface PageDocument {
  readonly bytes: Buffer
  /** A digest of the bytes: HTML depends on more than the revision. */
  readonly digest: string
  /** The bytes as gzip. They hold nothing secret: what a document says to one person alone must not be compressed. */
  zipped(): Promise<Buffer>
}

/** Makes the HTML document of a page; the web pages bring it. */
export interface PageDocuments {
  documentOf(revision: PageRevision): Promise<PageDocument>
}

type PageType = 'text/html' | 'text/markdown' | 'application/json'

/** Answers with the representation that the caller asks for, or 304 when it has that already. */
export async function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  documents: PageDocuments,
  input: ReadPage & { readonly markdown: boolean },
): Promise<FastifyReply> {
  const type: PageType = input.markdown
    ? 'text/markdown'
    : chooseType(request, ['text/html', 'text/markdown', 'application/json'])
  if (type === 'text/markdown' && input.version === undefined) {
    const { version, body, updatedAt } = await readLatestBody(request.ctx, input)
    return sendBytes(request, reply, { type, etag: etagOf(version), bytes: body, updatedAt })
  }
  const revision = await readPage(request.ctx, { ...input, links: type === 'text/html' })
  const document = type === 'text/html' ? await documents.documentOf(revision) : undefined
  const etag = etagOf(
    revision.version,
    document?.digest ?? (type === 'application/json' ? 'json' : undefined),
  )
  if (type === 'application/json') {
    if (isKnown(request, reply, etag)) return reply.code(304).send()
    const page = await revision.page()
    return reply
      .type('application/json; charset=utf-8')
      .send({ ...page, body: revision.content.body.toString('utf8') })
  }
  if (document && takesGzip(request) && document.bytes.length >= MIN_ZIPPED_BYTES) {
    return sendZipped(request, reply, {
      document,
      version: revision.version,
      updatedAt: revision.row.updated_at,
    })
  }
  const bytes = document?.bytes ?? revision.content.body
  return sendBytes(request, reply, { type, etag, bytes, updatedAt: revision.row.updated_at })
}

function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  shown: { readonly type: PageType; readonly etag: string; readonly bytes: Buffer; readonly updatedAt: Date },
): FastifyReply {
  if (isKnown(request, reply, shown.etag)) return reply.code(304).send()
  reply.header('Last-Modified', shown.updatedAt.toUTCString())
  return reply.type(`${shown.type}; charset=utf-8`).send(shown.bytes)
}

/** Smaller ones fit into a packet as they are. */
const MIN_ZIPPED_BYTES = 1400
const GZIP = /(?:^|[\s,])gzip(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i

function takesGzip(request: FastifyRequest): boolean {
  const { 'accept-encoding': encodings } = request.headers
  return typeof encodings === 'string' && GZIP.test(encodings)
}

/** A document in its compressed form, which is a representation of its own, with a tag of its own (RFC 9110, section 8.8.3.3). */
async function sendZipped(
  request: FastifyRequest,
  reply: FastifyReply,
  shown: { readonly document: PageDocument; readonly version: number; readonly updatedAt: Date },
): Promise<FastifyReply> {
  const etag = etagOf(shown.version, `${shown.document.digest}-gzip`)
  if (isKnown(request, reply, etag)) return reply.code(304).send()
  return reply
    .headers({ 'Content-Encoding': 'gzip', 'Last-Modified': shown.updatedAt.toUTCString() })
    .type('text/html; charset=utf-8')
    .send(await shown.document.zipped())
}

/** Sets the headers of every representation; tells whether the caller has this one already. */
function isKnown(request: FastifyRequest, reply: FastifyReply, etag: string): boolean {
  reply.headers({ ETag: etag, Vary: 'Accept, Accept-Encoding', 'Cache-Control': 'private, no-cache' })
  const known = request.headers['if-none-match']
  return known !== undefined && !noneMatch(known, etag)
}
