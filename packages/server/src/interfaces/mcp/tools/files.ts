import { Readable } from 'node:stream'
import { AppError } from '@recto/contract/errors.ts'
import { parseSlug } from '@recto/contract/page-address.ts'
import { decodeBase64 } from '@recto/lib/encoding/base64.ts'
import { Type } from 'typebox'
import { streamBytes } from '../../../content/files/blobs/download.ts'
import { type File, toFile } from '../../../content/files/file.ts'
import { findVersion } from '../../../content/files/find.ts'
import { filesOfSpace } from '../../../content/files/list.ts'
import { storeUpload } from '../../../content/files/upload/upload.ts'
import { usersOfFile } from '../../../content/files/users.ts'
import { imageForModel } from '../../../content/files/variants/model-image.ts'
import { writeFile } from '../../../content/files/write.ts'
import type { PagesCtx } from '../../../content/pages/ctx.ts'
import { strictObject } from '../../../platform/http/schemas.ts'
import { parseFileAddress, pathPrefix } from '../address.ts'
import { ifVersion, invalidArgument, listArguments, listResult, spaceArgument, versionArgument } from '../arguments.ts'
import { fittingPage, MAX_CONTENT } from '../bounds.ts'
import { defineTool } from '../tool.ts'
import type { ToolResult } from '../tool-result.ts'

const fileArguments = {
  space: Type.Optional(Type.String({ minLength: 1 })),
  path: Type.String({ description: 'Path with suffix, or a file URL without `space`.' }),
}

export const listFilesTool = defineTool({
  name: 'context_list_files',
  title: 'List files',
  description: 'Lists the files (images, attachments) of a space by path.',
  scope: 'read',
  input: strictObject({
    space: spaceArgument,
    prefix: Type.Optional(Type.String()),
    query: Type.Optional(Type.String({ description: 'Text in the path.' })),
    ...listArguments,
  }),
  async run(ctx, { space, prefix, query, ...list }) {
    const input = {
      space: parseSlug(space),
      ...(prefix !== undefined && { prefix: pathPrefix(prefix) }),
      ...(query !== undefined && { q: query }),
    }
    const files = await fittingPage(list, (paging) => filesOfSpace(ctx, { ...input, ...paging }))
    return listResult(files, (file) => `- ${formatFacts(file)}`, 'Try without `prefix` and `query`.')
  },
})

export const getFileTool = defineTool({
  name: 'context_get_file',
  title: 'Read a file',
  description: 'Reads a file: an image as an image, text as text, of others the facts.',
  scope: 'read',
  visitors: ['space', 'path', 'fromByte'],
  input: strictObject({
    ...fileArguments,
    version: Type.Optional(versionArgument),
    fromByte: Type.Optional(Type.Integer({ minimum: 0 })),
  }),
  async run(ctx, { version, fromByte = 0, ...input }): Promise<ToolResult<object>> {
    const address = { ...(await parseFileAddress(ctx, input, 'read')), ...(version !== undefined && { version }) }
    const { file, digest } = await findForTool(ctx, address)
    if (isText(file.contentType)) return readText(ctx, file, digest, fromByte)
    const image = file.contentType.startsWith('image/') ? await readImage(ctx, address) : undefined
    if (image === undefined || typeof image === 'string') {
      return {
        data: file,
        text: [formatFacts(file), image ?? 'Its bytes are not text: get them by its URL.', file.url],
      }
    }
    return { data: file, text: [formatFacts(file)], image }
  },
})

export const putFileTool = defineTool({
  name: 'context_put_file',
  title: 'Write a file',
  description: 'Creates a file, or replaces the version that you name.',
  scope: 'write',
  input: strictObject({
    ...fileArguments,
    text: Type.Optional(Type.String()),
    base64: Type.Optional(Type.String({ description: 'The bytes, instead of `text`.' })),
    version: Type.Optional(versionArgument),
  }),
  async run(ctx, { text, base64, version, ...input }) {
    const address = await parseFileAddress(ctx, input, 'write')
    const bytes = decodeBytes(text, base64)
    await using upload = await storeUpload(ctx, Readable.from([bytes]), ctx.config.maxFileBytes)
    const { file, created } = await writeFile(ctx, { ...address, preconditions: ifVersion(version) }, upload)
    return { data: file, text: [`${created ? 'Created' : 'Replaced'} ${formatFacts(file)}.`] }
  },
})

function decodeBytes(text: string | undefined, base64: string | undefined): Buffer {
  if ((text === undefined) === (base64 === undefined)) {
    throw invalidArgument('text', 'is needed, or `base64`: one of them')
  }
  const bytes = text === undefined ? decodeBase64(withoutDataPrefix(base64 ?? '')) : Buffer.from(text)
  if (!bytes) throw invalidArgument('base64', 'is not Base64')
  return bytes
}

/** The Base64 of a `data:` URL, in one line. */
function withoutDataPrefix(text: string): string {
  return text.replace(/^data:[^,]{0,200};base64,/, '').replaceAll(/\s/g, '')
}

async function findForTool(ctx: PagesCtx, address: Parameters<typeof findVersion>[1]) {
  const row = await findVersion(ctx, address)
  return {
    digest: row.digest,
    file: toFile(row, row.space_slug, ctx.config.publicUrl, await usersOfFile(ctx, row.space_id, row.file_id)),
  }
}

function isText(contentType: string): boolean {
  return contentType.startsWith('text/') || contentType === 'image/svg+xml'
}

/** The image, or why there is none. */
async function readImage(ctx: PagesCtx, address: Parameters<typeof imageForModel>[1]) {
  try {
    const { data, contentType: mimeType } = await imageForModel(ctx, address)
    return { data: data.toString('base64'), mimeType }
  } catch (error) {
    if (error instanceof AppError && ['no_variant', 'files_busy'].includes(error.code)) return error.message
    throw error
  }
}

/** Bytes of UTF-8 that fit into a result; the bytes of an incomplete character belong to the next call. */
async function readText(ctx: PagesCtx, file: File, digest: Buffer, from: number): Promise<ToolResult<object>> {
  if (from > file.size) throw invalidArgument('fromByte', `must not be greater than ${file.size}, the size of the file`)
  const end = Math.min(from + MAX_CONTENT, file.size) - 1
  const chunks: Buffer[] = []
  for await (const chunk of streamBytes(ctx, digest, [{ start: from, end }])) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  const isLast = end + 1 >= file.size
  const length = isLast ? bytes.length : wholeCharacters(bytes)
  const content = bytes.toString('utf8', 0, length)
  const next = isLast ? null : from + length
  const rest = next === null ? [] : [`Truncated. To continue, call again with fromByte ${next}.`]
  return { data: { ...file, content, nextByte: next }, text: [formatFacts(file), { content }, ...rest] }
}

/** The length without an incomplete character at the end. */
function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back < bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return bytes.length
    if (byte < 0xc0) continue
    const neededBytes = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return back < neededBytes ? bytes.length - back : bytes.length
  }
  return bytes.length
}

function formatFacts({ space, path, contentType, size, width, height, version }: File): string {
  const pixels = width === null || height === null ? '' : `, ${width} x ${height} pixels`
  return `${space}/${path}: ${contentType}, ${size} bytes${pixels}, version ${version}`
}
