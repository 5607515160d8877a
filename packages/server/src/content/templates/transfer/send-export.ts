import { Readable } from 'node:stream'
import { AppError } from '@recto/contract/errors.ts'
import { writeZip } from '@recto/lib/zip/zip-writer.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { watchResponse } from '../../../identity/rights/watched-answers.ts'
import { requireConfirmation } from '../../../identity/sessions/confirmation.ts'
import { chooseType } from '../../../platform/http/negotiate.ts'
import { jsonBundle } from '../bundle/bundle-json.ts'
import { bundleFiles } from '../bundle/bundle-zip.ts'
import { inChunks } from '../bundle/json-stream.ts'
import { type Exported, type ExportedPage, exportSpace } from './export.ts'

const LINES = 'application/x-ndjson'
/** The media types of exports, the default first. */
export const EXPORT_TYPES = ['application/json', 'application/zip', LINES] as const
const TYPE_OF = { json: 'application/json', zip: 'application/zip', ndjson: LINES } as const

export interface ExportInput {
  readonly space: string
  readonly history: boolean
  readonly format?: 'json' | 'zip' | 'ndjson' | undefined
  readonly after?: string | undefined
}

/** What is exported, under observation. */
export interface WatchedExport {
  readonly exported: Exported
  /** Ends the download. */
  readonly signal: AbortSignal
  /** Called at the end: whether all of it was sent. */
  ended(isComplete: boolean): void
}

/** Sends a space as a download; `watch` is called once it is certain that it will be sent. */
export async function sendExport(
  request: FastifyRequest,
  reply: FastifyReply,
  input: ExportInput,
  watch?: (exportStream: Exported) => Promise<WatchedExport>,
): Promise<void> {
  const type = exportType(request, input)
  const exportedSpace = await exportSpace(request.ctx, input)
  await requireConfirmation(request.ctx)
  const sentPaths: string[] = []
  watchResponse(request, exportedSpace.spaceId, sentPaths)
  const suffix = type === LINES ? 'ndjson' : type.slice('application/'.length)
  reply.headers({
    'Content-Type': type === 'application/zip' ? type : `${type}; charset=utf-8`,
    'Content-Disposition': `attachment; filename="${exportedSpace.space.slug}.${suffix}"`,
    'Cache-Control': 'private, no-store',
    Vary: 'Accept',
  })
  // Fastify would produce the complete export, and discard it.
  if (request.method === 'HEAD') {
    reply.send('')
    return
  }
  const watchedExport = await watch?.(exportedSpace)
  const { pages, files, ...space } = watchedExport?.exported ?? exportedSpace
  const observedSpace = { ...space, pages: noting(pages, sentPaths), files: noting(files, sentPaths) }
  const bytes = serialise(observedSpace, type, request.ctx.now())
  const stream = Readable.from(bytes, { objectMode: false })
  if (watchedExport) {
    stream.once('close', () => watchedExport.ended(stream.readableEnded))
    watchedExport.signal.addEventListener('abort', () => stream.destroy(watchedExport.signal.reason))
  }
  reply.send(stream)
}

/** Pages or files that may be under way at a time: fewer are read together. */
const MAX_NOTED = 200

/** The same pages or files; the paths of the latest ones are noted. */
async function* noting<Item extends { readonly path: string }>(
  items: AsyncIterable<Item>,
  paths: string[],
): AsyncGenerator<Item> {
  for await (const item of items) {
    paths.push(item.path)
    if (paths.length > MAX_NOTED) paths.shift()
    yield item
  }
}

type ExportType = (typeof EXPORT_TYPES)[number]

function exportType(request: FastifyRequest, { format, history, after }: ExportInput): ExportType {
  const type = format === undefined ? chooseType(request, EXPORT_TYPES) : TYPE_OF[format]
  if (type === LINES && history) {
    throw new AppError('invalid_request', `${LINES} has no revisions: leave out \`history\`.`)
  }
  if (type !== LINES && after !== undefined) {
    throw new AppError('invalid_request', `Only ${LINES} can begin after a page: leave out \`after\`.`)
  }
  return type
}

function serialise(exportStream: Exported, type: ExportType, now: Date): AsyncIterable<string | Uint8Array> {
  if (type === LINES) return pageLines(exportStream)
  return type === 'application/zip' ? writeZip(bundleFiles(exportStream, now)) : jsonBundle(exportStream)
}

/** Serialises the pages of an export as NDJSON: a line for each page, and one with their number at the end. */
async function* pageLines({ pages }: Exported): AsyncGenerator<string> {
  yield* inChunks(formatLines(pages))
}

async function* formatLines(pages: AsyncIterable<ExportedPage>): AsyncGenerator<string> {
  let count = 0
  for await (const { path, version, body, metadata } of pages) {
    yield `${JSON.stringify({ path, version, body, ...(metadata && { metadata }) })}\n`
    count++
  }
  yield `${JSON.stringify({ pages: count })}\n`
}
