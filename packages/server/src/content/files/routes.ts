import type { Readable } from 'node:stream'
import { AppError } from '@recto/contract/errors.ts'
import { fileAddressIn, parseSlug } from '@recto/contract/page-address.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { acquireKeyAfterBody } from '../../access/idempotency/idempotency.ts'
import { withIdempotentResponse } from '../../access/idempotency/idempotent-response.ts'
import { spaceParameter } from '../../access/schema.ts'
import { requireWriter } from '../../access/space.ts'
import { withBodyStream } from '../../platform/http/bodies/discard-body.ts'
import { declareEndpoints, registerRoutes } from '../../platform/http/endpoint.ts'
import { accepts } from '../../platform/http/negotiate.ts'
import { UPLOAD_ERRORS } from '../../platform/http/openapi/errors.ts'
import { RANGE_HEADERS } from '../../platform/http/openapi/headers.ts'
import {
  enumSchema,
  listSchema,
  nullable,
  pagingParameters,
  pagingQuery,
  strictObject,
  text,
} from '../../platform/http/schemas.ts'
import type { Server } from '../../platform/http/server.ts'
import { ignoreUnknownParameters } from '../../platform/http/validation.ts'
import { migrateFiles } from './blobs/migrate.ts'
import type { File } from './file.ts'
import { fileHistory, filesOfSpace } from './list.ts'
import { putFileRoute } from './put-routes.ts'
import { replayOfFiles } from './replay.ts'
import { fileParams, fileSchema, fileVersionSchema, uploadedFilesSchema, uploadFormSchema } from './schema.ts'
import { sendFile } from './send.ts'
import { receiveForm } from './upload/multipart.ts'
import { createFiles } from './upload/upload-form.ts'
import { VARIANT_WIDTHS, type VariantWidth } from './variants/variants.ts'

const { endpoint } = declareEndpoints('Files', fileParams.properties)
const administration = declareEndpoints('Administration')
const version = Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Number of a version.' })

const readQuery = strictObject({
  version: Type.Optional(version),
  width: Type.Optional(
    Type.Unsafe<VariantWidth>({
      type: 'integer',
      enum: VARIANT_WIDTHS,
      description:
        'A smaller variant of an image, without its metadata: AVIF if `Accept` names `image/avif`, else WebP. ' +
        'It is made at the first request and kept; if it is not ready within 20 seconds, ' +
        'the response redirects (307) to the image.',
    }),
  ),
  download: Type.Optional(Type.Boolean({ description: 'Always as a download.' })),
})

const listQuery = strictObject({
  ...pagingParameters,
  prefix: Type.Optional(text({ maxLength: 1024, description: 'Only paths that start with this.' })),
  q: Type.Optional(
    text({ maxLength: 256, description: 'Only paths that contain this text; letter case does not count.' }),
  ),
  unused: Type.Optional(
    Type.Boolean({
      description:
        'Only files to which no page refers that you can read. A page of the list may be short before its end.',
    }),
  ),
  type: Type.Optional(
    Type.String({
      pattern: '^[a-z]+/[a-z0-9.+-]*$',
      maxLength: 127,
      description: 'A media type such as `image/png`, or all with its beginning: `image/`.',
    }),
  ),
})

const migration = strictObject({
  to: enumSchema(['s3', 'database']),
  after: Type.Optional(
    Type.String({ pattern: '^[0-9a-f]{64}$', description: '`next` of the response before; absent: from the start.' }),
  ),
})

/** The routes of files, of which a migration moves the bytes between the database and a bucket. */
export const fileRoutes = registerRoutes(
  endpoint({
    route: 'GET /spaces/:space/files',
    config: { changeRequest: 'read' },
    operationId: 'files.list',
    summary: 'List the files of a space in the order of their paths',
    querystring: listQuery,
    response: { 200: listSchema(fileSchema) },
    handler: (request) => filesOfSpace(request.ctx, { space: parseSlug(request.params.space), ...request.query }),
  }),
  administration.endpoint({
    route: 'POST /admin/files/migrate',
    operationId: 'files.migrate',
    summary: 'Move bytes of files between the database and the bucket',
    description:
      'Moves some blobs, for ten seconds, while the service continues. Call it again with `next` as `after` until ' +
      'that is null. Repeating it is harmless. For organisation admins.',
    body: migration,
    response: {
      200: Type.Object({
        moved: Type.Integer({ description: 'Blobs that were moved.' }),
        bytes: Type.Integer(),
        next: nullable(Type.String()),
      }),
    },
    handler: (request) => migrateFiles(request.ctx, request.body),
  }),
  endpoint({
    route: 'GET /files/:space/:path/versions',
    operationId: 'files.versions.list',
    summary: 'List the versions of a file, newest first',
    querystring: pagingQuery,
    response: { 200: listSchema(fileVersionSchema) },
    handler: (request) => fileHistory(request.ctx, { ...fileAddressIn(request.params), ...request.query }),
  }),
  endpoint({
    route: 'GET /files/:space/:path',
    config: {
      visitors: ['width', 'download'],
      changeRequest: 'read',
      errors: ['no_variant', 'files_busy', 'storage_unavailable', 'precondition_failed'],
      headers: { ...RANGE_HEADERS, response: ['ETag', 'Repr-Digest', 'Content-Range'] },
    },
    operationId: 'files.get',
    summary: 'Read a file',
    description:
      'The bytes, also in ranges; the file object by `Accept: application/json`. ' +
      'Images, sound, video and PDF are shown in place, everything else is a download.',
    produces: ['*/*', 'application/json'],
    querystring: readQuery,
    preValidation: async (request) => {
      if (!accepts(request, 'application/json')) ignoreUnknownParameters(request)
    },
    response: { 200: fileSchema },
    handler: async (request, reply) => {
      await sendFile(request, reply, { ...fileAddressIn(request.params), ...request.query })
      return reply
    },
  }),
)

/** Uploads are streams of any type, so that they have their own Fastify scope and parser. */
export async function fileUploadRoutes(app: Server): Promise<void> {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (_request: FastifyRequest, payload: Readable) => payload)
  putFileRoute(app, undefined)
  formRoute(app, undefined)
}

const formRoute = endpoint({
  route: 'POST /files/:space',
  config: {
    errors: ['invalid_path', 'file_exists', 'precondition_failed', ...UPLOAD_ERRORS],
    idempotency: replayOfFiles,
    streamsBody: true,
    describedBody: uploadFormSchema,
  },
  operationId: 'files.upload',
  summary: 'Upload files by a form',
  description:
    'Creates the files of a form, at most 20, all or none. The field `folder` before them is the folder for all; ' +
    'the field `path` is the whole path for the file that follows it.',
  consumes: ['multipart/form-data'],
  params: Type.Object({ space: spaceParameter }),
  response: { 201: uploadedFilesSchema },
  handler: async (request, reply) => {
    await withBodyStream(request, (body) => uploadForm(request, reply, parseSlug(request.params.space), body))
    return reply
  },
})

async function uploadForm(
  request: FastifyRequest,
  reply: FastifyReply,
  space: string,
  body: Readable,
): Promise<FastifyReply> {
  await requireWriter(request.ctx, space)
  await using form = await receiveForm(request.ctx, body, request.headers)
  if (form.files.length === 0) throw new AppError('invalid_request', 'The form has no file.')
  await request.reauthenticate()
  if (request.attempt && (await acquireKeyAfterBody(request, reply))) return reply
  const respond = (files: readonly File[]) => {
    reply.code(201)
    return { files }
  }
  const ctx = withIdempotentResponse(request, reply, respond)
  return reply.send(respond(await createFiles(ctx, space, form.files)))
}
