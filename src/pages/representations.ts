import type { FastifyReply, FastifyRequest } from 'fastify'
import { chooseType } from '../http/negotiate.ts'
import { etagOf, noneMatch } from '../lib/etag.ts'
import { type PageRevision, type ReadPage, readPage } from './read.ts'

/** A representation of a page, ready to be sent. */
export interface PageDocument {
  readonly bytes: Buffer
  /** A digest of the bytes: HTML depends on more than the revision. */
  readonly digest: string
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
  const revision = await readPage(request.ctx, { ...input, links: type === 'text/html' })
  const document = type === 'text/html' ? await documents.documentOf(revision) : undefined
  const etag = etagOf(
    revision.version,
    document?.digest ?? (type === 'application/json' ? 'json' : undefined),
  )
  reply.headers({ ETag: etag, Vary: 'Accept', 'Cache-Control': 'private, no-cache' })
  const known = request.headers['if-none-match']
  if (known !== undefined && !noneMatch(known, etag)) return reply.code(304).send()
  if (type === 'application/json') {
    const page = await revision.page()
    return reply
      .type('application/json; charset=utf-8')
      .send({ ...page, body: revision.content.body.toString('utf8') })
  }
  reply.header('Last-Modified', revision.row.updated_at.toUTCString())
  return reply.type(`${type}; charset=utf-8`).send(document?.bytes ?? revision.content.body)
}
