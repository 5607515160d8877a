import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { formatEtag } from '@recto/lib/network/header-values.ts'
import { create } from 'content-disposition'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { toTag } from '../../access/overlay.ts'
import { checkReadConditions, isNotModified } from '../../access/preconditions.ts'
import { watchResponse } from '../../identity/rights/watched-answers.ts'
import { formatDigest } from '../../platform/http/digest.ts'
import { accepts } from '../../platform/http/negotiate.ts'
import { type ByteRange, contentRange, requestedRanges } from '../../platform/http/ranges.ts'
import { openBytes } from './blobs/download.ts'
import { type FileUser, toFile } from './file.ts'
import { findVersion, type LocatedFile } from './find.ts'
import { FILE_POLICY, isInline } from './upload/content-type.ts'
import { usersOfFile } from './users.ts'
import { sendVariant } from './variants/send-variant.ts'
import type { VariantWidth } from './variants/variants.ts'

export interface SentFile extends PageAddress {
  readonly version?: number
  readonly download?: boolean
  /** Whether only the bytes are sent, and never the file object. */
  readonly bytesOnly?: boolean
  /** A smaller variant of an image. */
  readonly width?: VariantWidth
}

/** Sends the bytes of a file, or the file object if Accept names JSON. */
export async function sendFile(request: FastifyRequest, reply: FastifyReply, input: SentFile): Promise<FastifyReply> {
  const isJson = !input.bytesOnly && accepts(request, 'application/json')
  if (input.width !== undefined && !isJson) return sendVariant(request, reply, { ...input, width: input.width })
  const file = await findVersion(request.ctx, input)
  const { version, draft, updated_at: updatedAt } = file
  const usedBy = isJson ? await usersOfFile(request.ctx, file.space_id, file.file_id) : []
  const sentVersion = {
    version,
    draft,
    updatedAt,
    etag: formatEtag(toTag(file), isJson ? jsonVariant(usedBy) : undefined),
  }
  checkReadConditions(sentVersion, request.headers, 'file')
  reply.headers({
    ETag: sentVersion.etag,
    'Last-Modified': updatedAt.toUTCString(),
    Vary: 'Accept',
    'Cache-Control': 'private, no-cache',
  })
  if (isNotModified(sentVersion, request.headers)) return reply.code(304).send()
  if (isJson) {
    const object = toFile(file, file.space_slug, request.ctx.config.publicUrl, usedBy)
    return reply.type('application/json; charset=utf-8').send(object)
  }
  const ranges = requestedRanges(request, { size: file.size, etag: sentVersion.etag })
  const inline = isInline(file.content_type) && !input.download
  const name = file.path.slice(file.path.lastIndexOf('/') + 1)
  reply.headers({
    'Accept-Ranges': 'bytes',
    'Repr-Digest': formatDigest(file.digest),
    'Content-Disposition': create(name, { type: inline ? 'inline' : 'attachment' }),
    'Content-Security-Policy': FILE_POLICY,
  })
  return sendBytes(request, reply, file, ranges)
}

/** The object depends on the pages that refer to the file as well as on its version. */
function jsonVariant(usedBy: readonly FileUser[]): string {
  if (usedBy.length === 0) return 'json'
  return `json-${createHash('sha256').update(JSON.stringify(usedBy)).digest('base64url').slice(0, 16)}`
}

async function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  file: LocatedFile,
  ranges: readonly ByteRange[] | 'all',
): Promise<FastifyReply> {
  const { size, content_type: type } = file
  if (ranges === 'all') return send(request, reply, file, { type, length: size, parts: [{ start: 0, end: size - 1 }] })
  reply.code(206)
  const [range] = ranges
  if (range && ranges.length === 1) {
    reply.header('Content-Range', contentRange(range, size))
    return send(request, reply, file, { type, length: range.end - range.start + 1, parts: [range] })
  }
  return send(request, reply, file, multipart(ranges, type, size))
}

/** The parts of `multipart/byteranges` (RFC 9110, section 14.6). */
function multipart(ranges: readonly ByteRange[], type: string, size: number) {
  const boundary = randomBytes(18).toString('base64url')
  const parts = ranges.flatMap((range, index) => {
    const head =
      `${index === 0 ? '' : '\r\n'}--${boundary}\r\nContent-Type: ${type}\r\nContent-Range: ` +
      `${contentRange(range, size)}\r\n\r\n`
    return [Buffer.from(head), range]
  })
  const all = [...parts, Buffer.from(`\r\n--${boundary}--\r\n`)]
  const length = all.reduce((sum, part) => sum + (Buffer.isBuffer(part) ? part.length : part.end - part.start + 1), 0)
  return { type: `multipart/byteranges; boundary=${boundary}`, length, parts: all }
}

async function send(
  request: FastifyRequest,
  reply: FastifyReply,
  file: LocatedFile,
  { type, length, parts }: ReturnType<typeof multipart>,
): Promise<FastifyReply> {
  watchResponse(request, file.space_id, [file.path])
  reply.header('Content-Length', length).type(type)
  // Fastify would read all of the bytes, and discard them.
  if (request.method === 'HEAD') return reply.send(Readable.from([]))
  return reply.send(await openBytes(request.ctx, file.digest, parts))
}
