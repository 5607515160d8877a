import { Readable } from 'node:stream'
import { AppError } from '@recto/contract/errors.ts'
import { parseSlug } from '@recto/contract/page-address.ts'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { spaceParams } from '../../../access/schema.ts'
import type { Jobs, Progress } from '../../../events/jobs/runner.ts'
import { declareEndpoints } from '../../../platform/http/endpoint.ts'
import { UPLOAD_ERRORS } from '../../../platform/http/openapi/errors.ts'
import { enumSchema, strictObject } from '../../../platform/http/schemas.ts'
import type { Server } from '../../../platform/http/server.ts'
import { bundleSchema, importedBundleSchema } from '../bundle/bundle.ts'
import { importTooLarge, startSpool } from '../bundle/spool.ts'
import { importReportSchema } from '../schema.ts'
import { type ImportInput, importPages } from './import.ts'
import type { ImportDeps } from './import-limit.ts'
import { EXPORT_TYPES, sendExport } from './send-export.ts'

const { endpoint } = declareEndpoints('Export and import', spaceParams.properties)
const TYPES = ['application/json', 'application/zip'] as const
/** Accepted content types. The format is detected by the first bytes. */
const UPLOAD_TYPES = new Set([
  ...TYPES,
  'application/x-zip-compressed',
  'application/octet-stream',
  // Of clients that send text without naming its type.
  'text/plain',
])

interface TransferDeps extends ImportDeps {
  readonly jobs: Jobs
}

const exportSpaceRoute = endpoint({
  route: 'GET /spaces/:space/export',
  config: { changeRequest: 'read', errors: ['confirmation_required', 'storage_unavailable'] },
  operationId: 'spaces.export',
  summary: 'Export a space',
  description:
    'A bundle: JSON, or with `Accept: application/zip` an archive of Markdown and metadata files. ' +
    'It has the latest version of every file. Pages and files are read one by one, without a common snapshot. ' +
    'A truncated response is not valid JSON and not a valid archive. `application/x-ndjson` has the pages alone, ' +
    'for programs that mirror a space: a line `{ path, version, body, metadata? ' +
    '}` for each, and `{ pages }`, their number, at the end.',
  produces: [...EXPORT_TYPES],
  querystring: strictObject({
    history: Type.Optional(Type.Boolean({ description: 'Include the revisions of pages.' })),
    format: Type.Optional(enumSchema(['json', 'zip', 'ndjson'], 'The format, for links; overrides `Accept`.')),
    after: Type.Optional(
      Type.String({
        maxLength: 4096,
        description: 'With `application/x-ndjson`: the pages after this path, to continue an interrupted export.',
      }),
    ),
  }),
  response: { 200: bundleSchema },
  handler: async (request, reply) => {
    const { space } = request.params
    await sendExport(request, reply, { space: parseSlug(space), history: false, ...request.query })
    return reply
  },
})

const importRoute = endpoint({
  route: 'POST /spaces/:space/import',
  config: {
    errors: ['invalid_bundle', 'invalid_archive', 'import_conflict', 'import_busy', 'job_cancelled', ...UPLOAD_ERRORS],
    streamsBody: true,
    describedBody: importedBundleSchema,
  },
  operationId: 'spaces.import',
  summary: 'Import pages into a space',
  description:
    'A bundle as JSON, or a ZIP archive of Markdown files, with the files beside them. ' +
    'It is validated completely before anything is written. A bundle with revisions requires the role admin.',
  consumes: [...TYPES],
  querystring: strictObject({
    onConflict: Type.Optional(
      Type.Union([Type.Literal('skip'), Type.Literal('overwrite'), Type.Literal('fail')], {
        default: 'fail',
        description: 'What to do with pages and files that exist already.',
      }),
    ),
    frontMatter: Type.Optional(
      Type.Boolean({ description: 'Set metadata from the front matter of pages that bring no metadata of their own.' }),
    ),
    dryRun: Type.Optional(Type.Boolean({ description: 'Only report what would happen.' })),
    conflictsOffset: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000,
        default: 0,
        description:
          'Index of the first conflict to list, in the order of the upload. ' +
          'With `dryRun` all can be read, 100 at a time.',
      }),
    ),
  }),
  response: { 200: importReportSchema },
  handler: (request, _reply, { folder, limited, jobs }: TransferDeps) => {
    const { onConflict = 'fail', dryRun = false, frontMatter = false, conflictsOffset = 0 } = request.query
    const space = parseSlug(request.params.space)
    const input = { space, onConflict, dryRun, frontMatter, conflictsOffset }
    const work = (progress: Progress, signal: AbortSignal) => receive(request, folder, { ...input, progress }, signal)
    return limited(() => jobs.attend(request.ctx, { kind: 'import', subject: { space, dryRun }, work }))
  },
})

/** Export and import of spaces. Uploads are streams, so that the scope has its own content type parser. */
export async function transferRoutes(app: Server, deps: TransferDeps): Promise<void> {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
    if (UPLOAD_TYPES.has(type)) return payload
    throw new AppError('unsupported_media_type', 'Send a bundle as application/json or application/zip.')
  })
  exportSpaceRoute(app, undefined)
  importRoute(app, deps)
}

async function receive(
  request: FastifyRequest,
  folder: string,
  input: Omit<ImportInput, 'upload' | 'arrived'>,
  signal: AbortSignal,
) {
  if (!(request.body instanceof Readable)) {
    throw new AppError('unsupported_media_type', 'Send a bundle as application/json or application/zip.')
  }
  const { maxImportBytes } = request.ctx.config
  if (Number(request.headers['content-length']) > maxImportBytes) throw importTooLarge(maxImportBytes)
  await using upload = await startSpool(folder, request.body, maxImportBytes)
  const uploadEnd = upload.complete.then(() => request.reauthenticate())
  return await importPages({ ...request.ctx, signal }, { ...input, upload, arrived: uploadEnd })
}
