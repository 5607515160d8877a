import type { Exported, ExportedPage } from '../transfer/export.ts'
import type { ExportedFile } from '../transfer/export-files.ts'
import { bundleHead } from './bundle.ts'
import { inChunks, streamObject } from './json-stream.ts'

/** Encoded at once; a multiple of three, so that only the last piece has padding. */
const BASE64_BYTES = 48 * 1024

/** Serialises an export as a JSON bundle, as a stream. */
export async function* jsonBundle({ space, formatVersion, pages, files }: Exported): AsyncGenerator<string | Buffer> {
  yield* inChunks(streamBundle(bundleHead(space, formatVersion), pages, files))
}

async function* streamBundle(
  head: Readonly<Record<string, unknown>>,
  pages: AsyncIterable<ExportedPage>,
  files: AsyncIterable<ExportedFile>,
): AsyncGenerator<string | Buffer> {
  yield `${JSON.stringify(head).slice(0, -1)},"pages":[`
  let separator = ''
  for await (const { path, body, metadata, revisions, metadataHistory, threads } of pages) {
    yield separator
    separator = ','
    const page = { path, body, ...(metadata && { metadata }) }
    const lists = { ...(metadataHistory && { metadataHistory }), ...(threads && { threads }) }
    if (revisions) yield* streamObject(page, { revisions, ...lists })
    else yield JSON.stringify(page)
  }
  yield ']'
  separator = ',"files":['
  for await (const { path, data, more, threads } of fileParts(files)) {
    yield `${separator}{"path":${JSON.stringify(path)}`
    if (threads) yield* listMember('threads', threads)
    yield ',"data":"'
    yield* base64Pieces(data)
    yield more ? '","more":true}' : '"}'
    separator = ','
  }
  yield separator === ',' ? ']}' : '}'
}

/** A further member of an object, with an array of items. */
async function* listMember(name: string, items: AsyncIterable<unknown>): AsyncGenerator<string> {
  yield `,${JSON.stringify(name)}:[`
  let separator = ''
  for await (const item of items) {
    yield separator + JSON.stringify(item)
    separator = ','
  }
  yield ']'
}

/**
 * Encodes bytes in pieces, the long ones as buffers. V8 would join strings, and promote those that are being sent: 150
 * KB of garbage for every four megabytes, until a major collection.
 */
function* base64Pieces(data: Buffer): Generator<string | Buffer> {
  for (let at = 0; at < data.length; at += BASE64_BYTES) {
    const piece = data.toString('base64', at, at + BASE64_BYTES)
    yield data.length - at < BASE64_BYTES ? piece : Buffer.from(piece, 'latin1')
  }
}

/** The bytes of files in parts, so that neither writer nor reader holds a complete file in memory. */
async function* fileParts(files: AsyncIterable<ExportedFile>) {
  for await (const { path, bytes, threads } of files) {
    let last: Buffer = Buffer.alloc(0)
    let isFirst = true
    for await (const chunk of bytes) {
      if (last.length > 0) {
        yield { path, data: last, more: true, ...(isFirst && { threads }) }
        isFirst = false
      }
      last = chunk
    }
    yield { path, data: last, more: false, ...(isFirst && { threads }) }
  }
}
