import type { FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { crc32, createInflateRaw, inflateRaw, inflateRawSync } from 'node:zlib'
import { type Entry, fromFdPromise, getFileNameLowLevel, validateFileName } from 'yauzl'

/** The archive is damaged, or malicious. */
export class ZipError extends Error {
  override readonly name = 'ZipError'
}

export interface ZipLimits {
  readonly maxFiles: number
  /** The limit of all files together, decompressed. */
  readonly maxBytes: number
}

/** A file of an archive, as its directory describes it. */
export interface ZipMember {
  readonly start: number
  readonly packedSize: number
  readonly size: number
  readonly stored: boolean
  readonly crc: number
}

/** From this size on, the maximum ratio of decompressed to compressed size; text has 5 to 20. */
const RATIO_FROM = 16 * 1024 * 1024
const MAX_RATIO = 200
const LOCAL_HEADER = 30
const LOCAL_SIGNATURE = 0x04034b50
const STORED = 0
const DEFLATED = 8
/** The file type in the Unix mode, which the upper half of the attributes has if Unix created the archive. */
const KIND = 0o170000
const PLAIN = 0o100000
const FOLDER = 0o040000
const INLINE_BYTES = 64 * 1024
/** Of a content that is streamed. */
const CHUNK_BYTES = 64 * 1024
const inflate = promisify(inflateRaw)

/**
 * The files of an archive by name in NFC, without folders; of two names with one such form the second has another.
 * Rejects, before anything is decompressed: names outside the archive (Zip Slip), duplicate names, links and devices,
 * encrypted files, other methods than deflate, overlapping files, and archives over the limits or the ratio (zip
 * bombs).
 */
export async function readZipDirectory(file: FileHandle, limits: ZipLimits): Promise<Map<string, ZipMember>> {
  const files = new Map<string, ZipMember>()
  const seenNames = new Set<string>()
  let bytes = 0
  let packedBytes = 0
  try {
    const { size: length } = await file.stat()
    const archive = await fromFdPromise(file.fd, { autoClose: false, decodeStrings: false })
    if (archive.entryCount > limits.maxFiles) throw new ZipError(`more than ${limits.maxFiles} files`)
    for await (const entry of archive.eachEntry()) {
      const name = freeForm(readName(entry), seenNames, files)
      if (name.endsWith('/')) continue
      rejectUnsupported(entry, name)
      bytes += entry.uncompressedSize
      packedBytes += entry.compressedSize
      if (entry.relativeOffsetOfLocalHeader + entry.compressedSize > length) {
        throw new ZipError(`${shown(name)} reaches beyond the end of the archive`)
      }
      if (bytes > limits.maxBytes) throw new ZipError(`more than ${limits.maxBytes} bytes when unpacked`)
      files.set(name, {
        start: entry.relativeOffsetOfLocalHeader,
        packedSize: entry.compressedSize,
        size: entry.uncompressedSize,
        stored: entry.compressionMethod === STORED,
        crc: entry.crc32,
      })
    }
  } catch (error) {
    throw error instanceof ZipError ? error : new ZipError((error as Error).message)
  }
  if (bytes > RATIO_FROM && bytes > packedBytes * MAX_RATIO) {
    throw new ZipError(`unpacked it would be more than ${MAX_RATIO} times as large`)
  }
  rejectOverlap([...files.values()])
  return files
}

/** The content of one file of at most `maxBytes`; nothing beyond the size in the directory is ever decompressed. */
export async function readZipMember(file: FileHandle, member: ZipMember, maxBytes: number): Promise<Buffer> {
  if (member.size > maxBytes || member.packedSize > maxBytes) {
    throw new ZipError(`a file has more than ${maxBytes} bytes`)
  }
  const packedBytes = await readExactly(file, await contentStart(file, member), member.packedSize)
  const content = member.stored ? packedBytes : await unpack(packedBytes, member.size)
  if (content.length !== member.size || crc32(content) !== member.crc) throw new ZipError('a file is damaged')
  return content
}

/** The content of one file as a stream, of which nothing beyond the size in the directory is decompressed. */
export async function* streamZipMember(file: FileHandle, member: ZipMember): AsyncGenerator<Buffer> {
  const packedChunks = readRange(file, await contentStart(file, member), member.packedSize)
  let size = 0
  let crc = 0
  for await (const chunk of member.stored ? packedChunks : inflated(packedChunks)) {
    size += chunk.length
    if (size > member.size) throw new ZipError('a file is larger than the archive says')
    crc = crc32(chunk, crc)
    yield chunk
  }
  if (size !== member.size || crc !== member.crc) throw new ZipError('a file is damaged')
}

async function contentStart(file: FileHandle, { start }: ZipMember): Promise<number> {
  const header = await readExactly(file, start, LOCAL_HEADER)
  if (header.readUInt32LE(0) !== LOCAL_SIGNATURE) throw new ZipError('a file does not begin where it should')
  return start + LOCAL_HEADER + header.readUInt16LE(26) + header.readUInt16LE(28)
}

async function* readRange(file: FileHandle, start: number, length: number): AsyncGenerator<Buffer> {
  for (let read = 0; read < length; read += CHUNK_BYTES) {
    yield await readExactly(file, start + read, Math.min(CHUNK_BYTES, length - read))
  }
}

async function* inflated(packedChunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const inflating = Readable.from(packedChunks).compose(createInflateRaw())
  try {
    yield* inflating as AsyncIterable<Buffer>
  } catch (error) {
    throw error instanceof ZipError ? error : new ZipError(`a file cannot be unpacked: ${(error as Error).message}`)
  }
}

async function unpack(packedBytes: Buffer, size: number): Promise<Buffer> {
  // zlib rejects an output limit of zero.
  const options = { maxOutputLength: Math.max(size, 1) }
  try {
    return size <= INLINE_BYTES ? inflateRawSync(packedBytes, options) : await inflate(packedBytes, options)
  } catch (error) {
    throw new ZipError(`a file cannot be unpacked: ${(error as Error).message}`)
  }
}

/** The name as it is written. A backslash is part of it, unless a system could take it for a way out of the archive. */
function readName({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string {
  const name = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true)
  const problem = validateFileName(name.replaceAll('\\', '/'))
  if (problem !== null) throw new ZipError(problem)
  return name
}

/** A form of the name that no other file has. */
function freeForm(writtenName: string, seenNames: Set<string>, files: ReadonlyMap<string, ZipMember>): string {
  const forms = [writtenName.normalize('NFC'), writtenName, writtenName.normalize('NFD')]
  const name = seenNames.has(writtenName) ? undefined : forms.find((form) => !files.has(form))
  if (name === undefined) throw new ZipError(`the name ${shown(writtenName)} occurs twice`)
  seenNames.add(writtenName)
  return name
}

function rejectUnsupported(entry: Entry, name: string): void {
  if (entry.isEncrypted()) throw new ZipError(`${shown(name)} is encrypted`)
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED) {
    throw new ZipError(`${shown(name)} is packed with method ${entry.compressionMethod}`)
  }
  if (entry.compressionMethod === STORED && entry.compressedSize !== entry.uncompressedSize) {
    throw new ZipError(`${shown(name)} has two sizes`)
  }
  const kind = (entry.externalFileAttributes >>> 16) & KIND
  if (kind !== 0 && kind !== PLAIN && kind !== FOLDER) throw new ZipError(`${shown(name)} is a link or a device`)
}

/** With overlapping files a small archive decompresses to a huge one without an odd ratio in a single file. */
function rejectOverlap(members: ZipMember[]): void {
  members.sort((a, b) => a.start - b.start)
  let end = 0
  for (const { start, packedSize } of members) {
    if (start < end) throw new ZipError('two files overlap')
    end = start + LOCAL_HEADER + packedSize
  }
}

async function readExactly(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length)
  let read = 0
  while (read < length) {
    const { bytesRead } = await file.read(buffer, read, length - read, position + read)
    if (bytesRead === 0) throw new ZipError('the archive ends too early')
    read += bytesRead
  }
  return buffer
}

function shown(name: string): string {
  return JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name)
}
