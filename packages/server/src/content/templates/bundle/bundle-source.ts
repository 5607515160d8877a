import { AppError, inputError } from '@recto/contract/errors.ts'
import { isSlug, parsePagePath } from '@recto/contract/page-address.ts'
import { decodeBase64 } from '@recto/lib/encoding/base64.ts'
import { isHiddenName } from '@recto/lib/hidden-file.ts'
import { decodeUtf8, isJsonObject, parseJson } from '@recto/lib/json/json.ts'
import { type JsonPart, JsonSplitError, splitJson } from '@recto/lib/json/json-split.ts'
import { parseEmoji } from '@recto/lib/text/emoji.ts'
import { readZipMember, streamZipMember, ZipError } from '@recto/lib/zip/zip-reader.ts'
import { type ArchiveFile, openArchive } from './archive-files.ts'
import { BUNDLE_FORMAT, BUNDLE_VERSIONS, type BundleFilePart } from './bundle.ts'
import * as zip from './bundle-zip.ts'
import type { Spooled } from './spool.ts'

/** A page of an upload before validation. `at` is its JSON Pointer, or the name of its file. */
export interface RawPage {
  readonly at: string
  readonly value: unknown
  /** Whether the existing metadata of the page stays where the value has none. */
  readonly keepsOtherMetadata?: boolean
  /** Why it cannot be imported, where its value does not tell. */
  readonly problem?: string
  /** Why its front matter does not become metadata, as it should. */
  readonly frontMatterProblem?: string
}

/** A file of an upload. Its bytes must be consumed, once, before the next file is requested. */
export interface RawFile {
  readonly at: string
  readonly path: string
  /** Its size, where that is known before its bytes. */
  readonly size?: number
  readonly bytes: AsyncIterable<Buffer>
  /** Before validation. */
  readonly threads?: unknown
}

/** An upload that can be read several times; `invalid_bundle` or `invalid_archive` if it cannot be parsed. */
export interface BundleSource {
  pages(): AsyncIterable<RawPage>
  files(): AsyncIterable<RawFile>
  /** The icon of the space of a bundle; in JSON it is known once the pages are read. */
  icon?(): string | undefined
  /** Names of files that are not imported. */
  readonly ignored: readonly string[]
  /** The names of the pages and the files of an archive that another program made. */
  readonly foreign?: { readonly pages: readonly string[]; readonly files: readonly string[] }
}

/** Of a page with its metadata and history, which are parsed together. */
export const MAX_PAGE_BYTES = 32 * 1024 * 1024
const MAX_HEAD_BYTES = 64 * 1024
const MAX_FILES = 1_000_000

/** Opens a JSON or ZIP upload, by its first bytes. JSON is read while it arrives, an archive once it is there. */
export async function openBundle(spooledUpload: Spooled, maxBytes: number): Promise<BundleSource> {
  if (await isZip(spooledUpload)) {
    await spooledUpload.complete
    return openZip(spooledUpload, maxBytes)
  }
  let rest: BesidePages | undefined
  const onEnd = (others: BesidePages) => {
    rest = others
  }
  return {
    pages: () => jsonPages(spooledUpload, onEnd),
    async *files() {
      if (rest?.hasFiles !== false) yield* jsonFiles(spooledUpload)
    },
    icon: () => rest?.icon,
    ignored: [],
  }
}

async function isZip(spooledUpload: Spooled): Promise<boolean> {
  let start = ''
  for await (const chunk of spooledUpload.read()) {
    start += chunk.toString('latin1', 0, 2)
    if (start.length >= 2) break
  }
  return start.startsWith('PK')
}

/** What a JSON bundle contains in addition to its pages. */
interface BesidePages {
  readonly icon: string | undefined
  readonly hasFiles: boolean
}

async function* jsonPages(spooledUpload: Spooled, onEnd: (rest: BesidePages) => void): AsyncGenerator<RawPage> {
  const head: Record<string, unknown> = {}
  let pages: number | undefined
  let hasFiles = false
  for await (const { name, element, bytes } of jsonParts(spooledUpload)) {
    hasFiles ||= element && name === 'files'
    if (element && name === 'pages') {
      pages = pages === undefined ? 0 : pages + 1
      yield { at: `/pages/${pages}`, value: parseMember(bytes, `/pages/${pages}`) }
    } else if (!element) head[name] = parseMember(bytes, `/${name}`)
  }
  onEnd({ icon: checkHead(head), hasFiles })
}

/** Its members, and the elements of `pages` and `files`. */
async function* jsonParts(spooledUpload: Spooled): AsyncGenerator<JsonPart> {
  const limits = { maxElementBytes: MAX_PAGE_BYTES, maxMemberBytes: MAX_HEAD_BYTES }
  try {
    yield* splitJson(spooledUpload.read(), { members: ['pages', 'files'], ...limits })
  } catch (error) {
    if (error instanceof JsonSplitError)
      throw unreadable('', `it is not a JSON bundle: ${error.message} (byte ${error.offset})`)
    throw error
  }
}

/** The files of a bundle: parts with one path are one file. */
async function* jsonFiles(spooledUpload: Spooled): AsyncGenerator<RawFile> {
  const parts = readFileParts(spooledUpload)
  for (let first = await parts.next(); !first.done; first = await parts.next()) {
    const { at, path, threads } = first.value
    yield { at, path, bytes: bytesOfParts(first.value, parts), threads }
  }
}

interface FilePart extends Omit<BundleFilePart, 'threads'> {
  readonly at: string
  /** Before validation. */
  readonly threads?: unknown
}

async function* bytesOfParts(first: FilePart, parts: AsyncGenerator<FilePart>): AsyncGenerator<Buffer> {
  for (let part = first; ; ) {
    yield readBytes(part)
    if (!part.more) return
    const next = await parts.next()
    if (next.done || next.value.path !== first.path)
      throw unreadable(part.at, 'is not followed by the rest of the file')
    part = next.value
  }
}

async function* readFileParts(spooledUpload: Spooled): AsyncGenerator<FilePart> {
  let index = 0
  for await (const { name, element, bytes } of jsonParts(spooledUpload)) {
    if (!element || name !== 'files') continue
    const at = `/files/${index++}`
    const part = parseMember(bytes, at)
    if (!isFilePart(part)) throw unreadable(at, 'must be an object with `path`, `data` and perhaps `more` or `threads`')
    yield { at, ...part }
  }
}

function isFilePart(value: unknown): value is Omit<FilePart, 'at'> {
  if (!isJsonObject(value)) return false
  const { path, data, more, threads: _, ...others } = value
  const isComplete = typeof path === 'string' && typeof data === 'string'
  return isComplete && [undefined, true, false].includes(more as undefined) && Object.keys(others).length === 0
}

function readBytes({ at, data }: FilePart): Buffer {
  const bytes = decodeBase64(data)
  if (!bytes) throw unreadable(`${at}/data`, 'is not Base64')
  return bytes
}

async function openZip(upload: Spooled, maxBytes: number): Promise<BundleSource> {
  const files = await withZipErrors(() => openArchive(upload, { maxFiles: MAX_FILES, maxBytes }))
  const manifest = files.get(zip.MANIFEST)
  const { encoded, icon, version } = manifest
    ? await readManifest(await readMember(zip.MANIFEST, manifest))
    : { encoded: false }
  const pageNames = [...files.keys()].filter((name) => isPage(name, encoded))
  const usedNames = new Set([
    zip.MANIFEST,
    ...pageNames.flatMap((name) => [name, ...Object.values(nameSidecars(name, version))]),
  ])
  const findComments = (name: string) => (version === 2 ? files.get(name + zip.FILE_COMMENTS) : undefined)
  const isOfFile = (name: string) => version === 2 && name.endsWith(zip.FILE_COMMENTS)
  const others = [...files.keys()].filter((name) => !usedNames.has(name) && !isOfFile(name))
  const attachments = others.filter((name) => isAttachment(name, encoded))
  return {
    icon: () => icon,
    ignored: others.filter((name) => !isAttachment(name, encoded)),
    ...(!manifest && { foreign: { pages: pageNames, files: attachments } }),
    async *files() {
      for (const name of attachments) {
        const file = files.get(name)
        if (!file) continue
        const path = encoded ? zip.pathOfFileName(name) : name
        const bytes = withStreamErrors(streamZipMember(file.archive, file.member), name)
        const comments = findComments(name)
        const threads = comments && { threads: parseMember(await readMember(name + zip.FILE_COMMENTS, comments), name) }
        yield { at: name, path, size: file.member.size, bytes, ...threads }
      }
    },
    async *pages() {
      for (const name of pageNames) {
        const page = files.get(name)
        if (!page) continue
        const bare = name.slice(0, -zip.PAGE.length)
        const path = encoded ? zip.pathOfFileName(bare) : bare
        yield manifest
          ? { at: name, value: { path, ...(await readZipPage(files, name, page, version)) } }
          : await readForeignPage(files, name, path)
      }
    },
  }
}

async function readMember(name: string, { archive, member }: ArchiveFile): Promise<Buffer> {
  return withZipErrors(() => readZipMember(archive, member, MAX_PAGE_BYTES), name)
}

/** The body of a page, with its sidecar files. */
async function readZipPage(
  files: ReadonlyMap<string, ArchiveFile>,
  name: string,
  page: ArchiveFile,
  formatVersion?: unknown,
) {
  const sidecars: Record<string, unknown> = {}
  for (const [member, sidecar] of Object.entries(nameSidecars(name, formatVersion))) {
    const file = files.get(sidecar)
    if (file) sidecars[member] = parseMember(await readMember(sidecar, file), sidecar)
  }
  const body = decodeUtf8(await readMember(name, page))
  if (body === undefined) throw unreadable(name, 'is not UTF-8')
  return { body, ...sidecars }
}

/** The same, of an archive that another program made: a page that cannot be read has the reason. */
async function readForeignPage(files: ReadonlyMap<string, ArchiveFile>, name: string, path: string): Promise<RawPage> {
  const toRefusal = (problem: string) => ({ at: name, value: { path, body: '' }, problem })
  // A written path may end in `.md`, which is no part of it: the page would have another name than the file.
  if (isMarkdown(path)) return toRefusal('must not end in ".md" twice')
  for (const each of [name, ...Object.values(nameSidecars(name))]) {
    const size = files.get(each)?.member.size ?? 0
    if (size > MAX_PAGE_BYTES) return toRefusal(`has ${size} bytes; the maximum is ${MAX_PAGE_BYTES}`)
  }
  try {
    const page = files.get(name)
    return page ? { at: name, value: { path, ...(await readZipPage(files, name, page)) } } : toRefusal('is missing')
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'invalid_bundle')) throw error
    const [issue] = error.extras.issues ?? []
    return toRefusal(
      issue && issue.path !== name ? `${issue.path} ${issue.message}` : (issue?.message ?? error.message),
    )
  }
}

/**
 * The sidecar files of a page by their members. In an archive of the first version, and in those of others, a file with
 * the name of one of the second version is a file of the space.
 */
function nameSidecars(page: string, formatVersion?: unknown): Readonly<Record<string, string>> {
  const bare = page.slice(0, -zip.PAGE.length)
  return {
    ...{ metadata: bare + zip.METADATA, revisions: bare + zip.HISTORY },
    ...(formatVersion === 2 && { metadataHistory: bare + zip.METADATA_HISTORY, threads: bare + zip.COMMENTS }),
  }
}

/** Whether a file that belongs to no page is imported; of third-party archives only those with valid names. */
function isAttachment(name: string, encoded: boolean): boolean {
  return encoded || !(isMarkdown(name) || name.split('/').some(isHiddenName) || !isFilePath(name))
}

/** Third-party archives may have `.MD`. */
function isMarkdown(name: string): boolean {
  return name.toLowerCase().endsWith(zip.PAGE)
}

/** Whether a file is a page. Third-party archives may have impossible names, which are mended and checked later. */
function isPage(name: string, encoded: boolean): boolean {
  if (encoded) return name.endsWith(zip.PAGE)
  if (!isMarkdown(name)) return false
  const segments = name.slice(0, -zip.PAGE.length).split('/')
  return segments.every((segment) => !isHiddenName(segment) && isFilePath(segment))
}

/** Whether file names are encoded, the icon of the space, and the version of the format. */
async function readManifest(
  bytes: Buffer,
): Promise<{ readonly encoded: boolean; readonly icon?: string | undefined; readonly version?: unknown }> {
  const manifest = parseMember(bytes, zip.MANIFEST)
  if (!isJsonObject(manifest)) throw unreadable(zip.MANIFEST, 'must be an object')
  const { fileNames, ...head } = manifest
  if (fileNames !== undefined && fileNames !== zip.FILE_NAMES) {
    throw unreadable(`${zip.MANIFEST}/fileNames`, `must be "${zip.FILE_NAMES}" or absent`)
  }
  return { encoded: fileNames === zip.FILE_NAMES, icon: checkHead(head), version: head.formatVersion }
}

/** Returns the icon of the space. */
function checkHead(head: Readonly<Record<string, unknown>>): string | undefined {
  const { format, formatVersion, space, ...others } = head
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw unreadable(`/${unknown}`, 'is not a member of a bundle')
  if (format !== BUNDLE_FORMAT) throw unreadable('/format', `must be "${BUNDLE_FORMAT}"`)
  if (!BUNDLE_VERSIONS.some((version) => version === formatVersion)) {
    throw unreadable('/formatVersion', `must be ${BUNDLE_VERSIONS.join(' or ')}, which this release supports`)
  }
  if (space === undefined) return undefined
  if (!isJsonObject(space) || typeof space.slug !== 'string' || !isSlug(space.slug)) {
    throw unreadable('/space', 'must be an object with a valid `slug`')
  }
  return parseEmoji(space.icon)
}

function parseMember(bytes: Buffer, at: string): unknown {
  const text = decodeUtf8(bytes)
  if (text === undefined) throw unreadable(at, 'is not UTF-8')
  try {
    return parseJson(text)
  } catch (error) {
    throw unreadable(at, `is not JSON: ${(error as Error).message}`)
  }
}

function isFilePath(path: string): boolean {
  return path !== '' && nameProblem(path) === undefined
}

/** Why no page or file can have the name of a file of an archive; undefined if one can. */
export function nameProblem(name: string): string | undefined {
  try {
    parsePagePath(name.replace(/(?<=[^/])\.md$/i, ''), 'file')
    return undefined
  } catch (error) {
    if (error instanceof AppError) return error.extras.issues?.[0]?.message ?? error.message
    throw error
  }
}

async function* withStreamErrors(bytes: AsyncIterable<Buffer>, at: string): AsyncGenerator<Buffer> {
  try {
    yield* bytes
  } catch (error) {
    throw asUnreadable(error, at)
  }
}

async function withZipErrors<T>(work: () => Promise<T>, at = ''): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw asUnreadable(error, at)
  }
}

function asUnreadable(error: unknown, at: string): unknown {
  // Messages of the ZIP library are sentences.
  return error instanceof ZipError ? unreadable(at, error.message.replace(/\.$/, ''), 'invalid_archive') : error
}

/** An upload that cannot be parsed. `path` is a JSON Pointer or the name of a file. */
function unreadable(
  path: string,
  message: string,
  code: 'invalid_bundle' | 'invalid_archive' = 'invalid_bundle',
): AppError {
  const place = path === '' ? '' : `\`${path}\`: `
  return inputError(code, `The upload cannot be read: ${place}${message}.`, path, message)
}
