import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { AppError } from '@recto/contract/errors.ts'
import { fileAddressIn, type PageAddress } from '@recto/contract/page-address.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { acquireKeyAfterBody } from '../../access/idempotency/idempotency.ts'
import { withIdempotentResponse } from '../../access/idempotency/idempotent-response.ts'
import { parsePreconditions } from '../../access/preconditions.ts'
import { withBodyStream } from '../../platform/http/bodies/discard-body.ts'
import { type Digests, parseDigests } from '../../platform/http/digest.ts'
import { endpoint } from '../../platform/http/endpoint.ts'
import { withWritten } from '../../platform/http/headers/response-headers.ts'
import { UPLOAD_ERRORS } from '../../platform/http/openapi/errors.ts'
import { PUT_HEADERS } from '../../platform/http/openapi/headers.ts'
import { replayOfFiles } from './replay.ts'
import { fileAfterWriteSchema, fileParams } from './schema.ts'
import { storeUpload, type Upload } from './upload/upload.ts'
import { fileTooLarge } from './upload/upload-errors.ts'
import { checkTarget, findTarget, type WrittenFile, writeFile } from './write.ts'

/** Writes a file from the bytes of the body. */
export const putFileRoute = endpoint({
  route: 'PUT /files/:space/:path',
  config: {
    changeRequest: 'propose',
    errors: ['precondition_required', 'digest_mismatch', ...UPLOAD_ERRORS],
    idempotency: replayOfFiles,
    streamsBody: true,
    headers: { ...PUT_HEADERS, request: [...PUT_HEADERS.request, 'repr-digest'] },
  },
  tags: ['Files'],
  operationId: 'files.put',
  summary: 'Write a file',
  description:
    'Creates the file (201), or adds a version (200), for which `If-Match` must name the current ETag. ' +
    'The body is the bytes themselves, of any type; the content type is detected from them. ' +
    '`Repr-Digest` is checked when sent (`sha-256` and `sha-512`). `If-None-Match: *` only creates.',
  consumes: ['application/octet-stream', '*/*'],
  params: fileParams,
  response: { 200: fileAfterWriteSchema, 201: fileAfterWriteSchema },
  handler: async (request, reply) => {
    await withBodyStream(request, (body) => putFile(request, reply, fileAddressIn(request.params), body))
    return reply
  },
})

async function putFile(
  request: FastifyRequest,
  reply: FastifyReply,
  address: PageAddress,
  body: Readable,
): Promise<FastifyReply> {
  const { headers } = request
  const preconditions = parsePreconditions(headers)
  const requestedDigests = wantedDigests(headers)
  const target = await findTarget(request.ctx, address)
  // A retry of a successful request finds its own result: it is replayed once its key is known.
  if (!request.attempt) await checkTarget(request.ctx, { ...address, preconditions }, target)
  await using upload = await receive(request, body, requestedDigests)
  await request.reauthenticate()
  if (request.attempt && (await acquireKeyAfterBody(request, reply))) return reply
  const respond = ({ file, created }: WrittenFile) => withWritten(reply, file, created)
  const ctx = withIdempotentResponse(request, reply, respond)
  return reply.send(respond(await writeFile(ctx, { ...address, preconditions }, upload)))
}

/** Stores the body, unless its length or a digest is wrong. */
async function receive(request: FastifyRequest, body: Readable, requestedDigests: Digests): Promise<Upload> {
  const { maxFileBytes } = request.ctx.config
  if (Number(request.headers['content-length']) > maxFileBytes) throw fileTooLarge(maxFileBytes)
  // It takes processor time for each byte, so only when it is needed.
  const sha512 = requestedDigests['sha-512'] && createHash('sha512')
  await using undo = new AsyncDisposableStack()
  const upload = undo.use(await storeUpload(request.ctx, body, maxFileBytes, sha512))
  const actual = { 'sha-256': upload.sentDigest, 'sha-512': sha512?.digest() }
  // A client that makes its body while it sends it knows the digest at the end. The other algorithm is not worked out
  // any more.
  const { 'sha-256': trailing } = digestsIn(request.raw.trailers)
  const wrong = wrongDigest(requestedDigests, actual) ?? wrongDigest({ 'sha-256': trailing }, actual)
  if (wrong !== undefined)
    throw new AppError('digest_mismatch', `${wrong}, and the request names another one. Nothing was changed.`)
  undo.move()
  return upload
}

/** What the bytes have instead of a digest that was wanted; undefined: all are right. */
function wrongDigest(requestedDigests: Digests, actual: Digests): string | undefined {
  for (const algorithm of ['sha-256', 'sha-512'] as const) {
    const [named, found] = [requestedDigests[algorithm], actual[algorithm]]
    if (named && !found?.equals(named))
      return `The bytes have the ${algorithm.toUpperCase()} ${found?.toString('base64')}`
  }
  return undefined
}

function wantedDigests(headers: FastifyRequest['headers']): Digests {
  if (headers['content-range'] !== undefined) {
    // RFC 9110, section 14.5: a partial PUT must not be stored as the complete file.
    throw new AppError('invalid_request', 'A file is written whole: send it without Content-Range.')
  }
  return digestsIn(headers)
}

/** The digests in headers or trailers, of the representation or of its content, which are the same here (RFC 9530). */
function digestsIn(fields: NodeJS.Dict<string | string[]>): Digests {
  const representation = parseDigests(toText(fields['repr-digest']), 'Repr-Digest')
  const content = parseDigests(toText(fields['content-digest']), 'Content-Digest')
  if (wrongDigest(representation, { ...representation, ...content }) !== undefined) {
    const detail = 'Repr-Digest and Content-Digest name different digests of one file.'
    throw new AppError('invalid_request', detail)
  }
  return { ...representation, ...content }
}

function toText(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(',') : header
}
