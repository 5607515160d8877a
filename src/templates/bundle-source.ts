import type { FileHandle } from 'node:fs/promises'
import { isSlug } from '../http/page-address.ts'
import { isHiddenName } from '../lib/hidden-file.ts'
import { decodeUtf8, isJsonObject, parseJson } from '../lib/json.ts'
import { JsonSplitError, splitJson } from '../lib/json-split.ts'
import { readZipDirectory, readZipMember, ZipError, type ZipMember } from '../lib/zip-reader.ts'
import { BUNDLE_FORMAT, BUNDLE_VERSION } from './bundle.ts'
import { BundleProblem } from './bundle-problem.ts'
import { FILE_NAMES, HISTORY, MANIFEST, METADATA, PAGE, pathOfFileName } from './bundle-zip.ts'
import type { Spooled } from './spool.ts'

/** A page of an upload before validation. `at` is its JSON Pointer, or the name of its file. */
export interface RawPage {
  readonly at: string
  readonly value: unknown
}

/** An upload whose pages can be read several times. Throws BundleProblem if it cannot be parsed. */
export interface BundleSource {
  pages(): AsyncIterable<RawPage>
  /** Names of files that do not belong to a page. */
  readonly ignored: readonly string[]
}

/** Of a page with its metadata and history, which are parsed together. */
export const MAX_PAGE_BYTES = 32 * 1024 * 1024
const MAX_HEAD_BYTES = 64 * 1024
const MAX_FILES = 1_000_000

/** Opens a JSON or ZIP upload, detected by its first bytes. */
export async function openBundle(spooled: Spooled, maxBytes: number): Promise<BundleSource> {
  const start = Buffer.alloc(4)
  await spooled.file.read(start, 0, start.length, 0)
  const isZip = start.toString('latin1', 0, 2) === 'PK'
  return isZip ? openZip(spooled.file, maxBytes) : { pages: () => jsonPages(spooled), ignored: [] }
}

async function* jsonPages(spooled: Spooled): AsyncGenerator<RawPage> {
  const limits = { member: 'pages', maxElementBytes: MAX_PAGE_BYTES, maxMemberBytes: MAX_HEAD_BYTES }
  const head: Record<string, unknown> = {}
  let pages: number | undefined
  try {
    for await (const { name, element, bytes } of splitJson(spooled.read(), limits)) {
      if (element) {
        pages = pages === undefined ? 0 : pages + 1
        yield { at: `/pages/${pages}`, value: parseMember(bytes, `/pages/${pages}`) }
      } else head[name] = parseMember(bytes, `/${name}`)
    }
  } catch (error) {
    if (error instanceof JsonSplitError)
      throw new BundleProblem('', `${error.message} (byte ${error.offset})`)
    throw error
  }
  checkHead(head)
}

async function openZip(file: FileHandle, maxBytes: number): Promise<BundleSource> {
  const files = await withZipErrors(() => readZipDirectory(file, { maxFiles: MAX_FILES, maxBytes }))
  const read = async (name: string, member: ZipMember) =>
    withZipErrors(() => readZipMember(file, member, MAX_PAGE_BYTES), name)
  const manifest = files.get(MANIFEST)
  const encoded = manifest !== undefined && (await readManifest(await read(MANIFEST, manifest)))
  const pageNames = [...files.keys()].filter((name) => isPage(name, encoded))
  const used = new Set([MANIFEST, ...pageNames.flatMap((name) => [name, ...sidecarsOf(name)])])
  return {
    ignored: [...files.keys()].filter((name) => !used.has(name)),
    async *pages() {
      for (const name of pageNames) {
        const member = files.get(name)
        if (!member) continue
        const bare = name.slice(0, -PAGE.length)
        const [metadata, revisions] = await Promise.all(
          sidecarsOf(name).map(async (sidecar) => {
            const file = files.get(sidecar)
            return file && parseMember(await read(sidecar, file), sidecar)
          }),
        )
        const body = decodeUtf8(await read(name, member))
        if (body === undefined) throw new BundleProblem(name, 'is not UTF-8')
        const page = { path: encoded ? pathOfFileName(bare) : bare, body }
        const value = {
          ...page,
          ...(metadata !== undefined && { metadata }),
          ...(revisions !== undefined && { revisions }),
        }
        yield { at: name, value }
      }
    },
  }
}

function sidecarsOf(page: string): [metadata: string, history: string] {
  const bare = page.slice(0, -PAGE.length)
  return [bare + METADATA, bare + HISTORY]
}

/** Third-party archives may have `.MD`. */
function isPage(name: string, encoded: boolean): boolean {
  if (encoded) return name.endsWith(PAGE)
  return name.toLowerCase().endsWith(PAGE) && !name.split('/').some(isHiddenName)
}

/** Returns whether file names are encoded. */
async function readManifest(bytes: Buffer): Promise<boolean> {
  const manifest = parseMember(bytes, MANIFEST)
  if (!isJsonObject(manifest)) throw new BundleProblem(MANIFEST, 'must be an object')
  const { fileNames, ...head } = manifest
  if (fileNames !== undefined && fileNames !== FILE_NAMES) {
    throw new BundleProblem(`${MANIFEST}/fileNames`, `must be "${FILE_NAMES}" or absent`)
  }
  checkHead(head)
  return fileNames === FILE_NAMES
}

function checkHead(head: Readonly<Record<string, unknown>>): void {
  const { format, formatVersion, space, ...others } = head
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new BundleProblem(`/${unknown}`, 'is not a member of a bundle')
  if (format !== BUNDLE_FORMAT) throw new BundleProblem('/format', `must be "${BUNDLE_FORMAT}"`)
  if (formatVersion !== BUNDLE_VERSION) {
    throw new BundleProblem(
      '/formatVersion',
      `must be ${BUNDLE_VERSION}, the only version that this release supports`,
    )
  }
  if (space === undefined) return
  if (!isJsonObject(space) || typeof space.slug !== 'string' || !isSlug(space.slug)) {
    throw new BundleProblem('/space', 'must be an object with a valid `slug`')
  }
}

function parseMember(bytes: Buffer, at: string): unknown {
  const text = decodeUtf8(bytes)
  if (text === undefined) throw new BundleProblem(at, 'is not UTF-8')
  try {
    return parseJson(text)
  } catch (error) {
    throw new BundleProblem(at, `is not JSON: ${(error as Error).message}`)
  }
}

async function withZipErrors<T>(work: () => Promise<T>, at = ''): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ZipError) throw new BundleProblem(at, error.message, 'invalid_archive')
    throw error
  }
}
