import { AppError } from '@recto/contract/errors.ts'
import { addressIn } from '@recto/contract/page-address.ts'
import { decodeUtf8 } from '@recto/lib/json/json.ts'
import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { withIdempotentResponse } from '../../access/idempotency/idempotent-response.ts'
import { parsePreconditions } from '../../access/preconditions.ts'
import { replayWithRole } from '../../access/replay-authorization.ts'
import { pageParams } from '../../access/schema.ts'
import { withWritten } from '../../platform/http/headers/response-headers.ts'
import { PAGE_WRITE_ERRORS } from '../../platform/http/openapi/errors.ts'
import { PUT_HEADERS } from '../../platform/http/openapi/headers.ts'
import { OPTIONAL_BODY } from '../../platform/http/openapi/operations.ts'
import { RAW_BODY } from '../../platform/http/openapi/request-bodies.ts'
import { strictObject } from '../../platform/http/schemas.ts'
import type { Server } from '../../platform/http/server.ts'
import { invalidBody, tooLarge } from './body.ts'
import { readContent } from './content.ts'
import type { WrittenPage } from './page-write.ts'
import { noteSchema, type PutPage, pageAfterWriteSchema, putPageSchema } from './schema.ts'
import { writePage } from './write.ts'

/** Media types whose bytes are the body as they are; curl sends the last one by default. */
const BODY_TYPES = new Set(['', 'text/markdown', 'text/plain', 'application/x-www-form-urlencoded'])
/** A byte takes at most six in JSON, as `\u0001`; the request may also contain a note and metadata. */
const JSON_GROWTH = 6
const JSON_FRAME = 1024 * 1024

export interface PutRouteOptions {
  readonly maxBodyBytes: number
}

/** The size limit of a request with a body in JSON. */
export function maxJsonBytes({ maxBodyBytes }: { readonly maxBodyBytes: number }): number {
  return maxBodyBytes * JSON_GROWTH + JSON_FRAME
}

const CONFIG = {
  changeRequest: 'propose',
  errors: ['invalid_body', 'precondition_required', 'template_not_found', 'invalid_variables', ...PAGE_WRITE_ERRORS],
  idempotency: replayWithRole('editor'),
  checksText: true,
  headers: PUT_HEADERS,
} satisfies FastifyContextConfig

const SCHEMA = {
  tags: ['Pages'],
  operationId: 'pages.put',
  summary: 'Write a page',
  description:
    'Creates the page (201), or adds a revision (200), for which `If-Match` must name the current ETag. ' +
    'The body is JSON, or the Markdown itself, which `pages.putMarkdown` describes. `If-None-Match: ' +
    '*` only creates, where nothing is and nothing redirects.',
  consumes: ['text/markdown', 'text/plain', 'application/x-www-form-urlencoded', 'application/json'],
  params: pageParams,
  querystring: strictObject({ note: Type.Optional(noteSchema) }),
  // JSON is needed where JSON is declared; the bytes of a raw body may be none.
  [OPTIONAL_BODY]: true,
  [RAW_BODY]: {
    suffix: '.md',
    operationId: 'pages.putMarkdown',
    summary: 'Write a page as Markdown',
    description:
      'The same as `pages.put` with the Markdown itself as the body, as `text/markdown`, ' +
      '`text/plain` or without a type; the suffix `.md` may be left out. Scope: `write`.',
    mediaType: 'text/plain',
  },
  body: putPageSchema,
  response: { 200: pageAfterWriteSchema, 201: pageAfterWriteSchema },
}

/** Only `PUT` takes the raw body of a page: it has an encapsulated plugin with its own content type parsers. */
export async function putRoutes(app: Server, options: PutRouteOptions): Promise<void> {
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: options.maxBodyBytes }, bareBody)

  app.put(
    '/pages/:space/:path',
    {
      config: CONFIG,
      bodyLimit: maxJsonBytes(options),
      schema: SCHEMA,
      // The bytes of a raw body are the page's: a Content-Length over the limit is rejected before the body is read.
      onRequest: async ({ headers }) => {
        const isJson = /^application\/json\b/i.test(headers['content-type'] ?? '')
        const bytes = Number(headers['content-length'])
        if (!isJson && bytes > options.maxBodyBytes) throw tooLarge(bytes, options.maxBodyBytes)
      },
      // A request without a body and without Content-Length has nothing to parse: an empty page.
      preValidation: async (request) => {
        request.body ??= { body: '' }
      },
    },
    async (request, reply) => {
      const { space, path } = addressIn(request.params)
      const content = await readContent(request.ctx, { space, path }, request.body)
      const respond = ({ page, created }: WrittenPage) => withWritten(reply, page, created)
      const writtenPage = await writePage(withIdempotentResponse(request, reply, respond), {
        space,
        path,
        ...content,
        note: request.body.note ?? request.query.note,
        preconditions: parsePreconditions(request.headers),
      })
      return reply.send(respond(writtenPage))
    },
  )
}

/** The bytes of the request as the body of the page; UTF-8 is the only encoding that bodies have. */
async function bareBody(request: FastifyRequest, bytes: Buffer): Promise<PutPage> {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase())
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.replace(/^charset="?|"$/g, '')
  if (!BODY_TYPES.has(type) || (charset !== undefined && !['utf-8', 'utf8', 'us-ascii'].includes(charset))) {
    const detail = 'Send the page as text/markdown, text/plain or application/json, in UTF-8.'
    throw new AppError('unsupported_media_type', detail)
  }
  const body = decodeUtf8(bytes)
  if (body === undefined) throw invalidBody('is not UTF-8')
  return { body }
}
