/**
 * Imports many pages of a folder with few requests: new ones in bundles, and others are compared with an export. All
 * that need a merge are left to `importPage`, which says of each file why it was rejected.
 */
import { setImmediate as turn } from 'node:timers/promises'
import type { Client } from '@recto/client/client.ts'
import { ApiError } from '@recto/client/transport/errors.ts'
import { toEffect } from '@recto/contract/error-effect.ts'
import { computeSha256, pathProblem } from '../folder-sync/entry.ts'
import { isInMetadata } from './import-metadata.ts'
import { type ImportOutcome, type ImportPage, ImportRejected, readBody } from './import-page.ts'
import type { Base } from './import-record.ts'
import type { MarkdownFile } from './markdown-files.ts'

/** With fewer files, a request for each is faster than an export. */
const MIN_FILES = 50
/** Versions are read from lists: pages that are fewer than one in so many of the space are written one by one. */
const LIST_LIMIT = 200
const MAX_BUNDLE_PAGES = 4_000
/** Small, so that the service soon has something to do while the next files are read. */
const MAX_BUNDLE_BYTES = 4 * 1024 * 1024

export interface ManyPages {
  readonly client: Client
  readonly space: string
  readonly how: ImportPage
  /** Called for each page that is done. */
  readonly onDone: (outcome: ImportOutcome) => void
}

interface BundledFile {
  readonly file: MarkdownFile
  readonly body: Uint8Array
}

/** Returns the files that have to be imported one by one. */
export async function importMany(many: ManyPages, files: readonly MarkdownFile[]): Promise<readonly MarkdownFile[]> {
  if (files.length < MIN_FILES) return files
  const knownPages = many.how.empty ? new Map<string, KnownPage>() : await readPages(many)
  const { absent, rest } = compareFiles(many, files, knownPages)
  if (absent.length < MIN_FILES + knownPages.size / LIST_LIMIT) return [...rest, ...absent]
  if (many.how.dryRun) return [...rest, ...checkAll(many, absent)]
  return [...rest, ...(await createAll(many, absent))]
}

interface KnownPage extends Base {
  /** Undefined if it is not needed. */
  readonly metadata: Readonly<Record<string, unknown>> | undefined
}

/** All pages of the space: versions, hashes of Markdown, and metadata if the front matter is compared with it. */
async function readPages({ client, space, how }: ManyPages): Promise<Map<string, KnownPage>> {
  const pages = new Map<string, KnownPage>()
  for await (const { path, version, body, metadata = {} } of client.spaces.exportPages(space)) {
    const sha256 = computeSha256(Buffer.from(body))
    pages.set(path, { version, sha256, metadata: how.metadata ? metadata : undefined })
  }
  return pages
}

/**
 * Files of pages to create, and all others whose page is not equal: one that was imported before and is absent was
 * deleted by somebody, and no page can have the path of another.
 */
function compareFiles(
  { how, onDone }: ManyPages,
  files: readonly MarkdownFile[],
  knownPages: ReadonlyMap<string, KnownPage>,
): { readonly absent: MarkdownFile[]; readonly rest: MarkdownFile[] } {
  const [absent, rest] = [[] as MarkdownFile[], [] as MarkdownFile[]]
  for (const file of files) {
    const page = knownPages.get(file.path.normalize('NFC'))
    if (!page) (how.record.findBase(file.path) || hasPathProblem(file) ? rest : absent).push(file)
    else if (!isEqual(file, page, how)) rest.push(file)
    else {
      const { version, sha256 } = page
      if (!how.dryRun) how.record.set(file.path, { version, sha256 })
      onDone('unchanged')
    }
  }
  return { absent, rest }
}

function hasPathProblem({ path }: MarkdownFile): boolean {
  return pathProblem({ kind: 'page', path }) !== undefined
}

function isEqual(file: MarkdownFile, { sha256, metadata }: KnownPage, how: ImportPage): boolean {
  const body = readValid(file, how)
  if (!body || computeSha256(body) !== sha256) return false
  return !metadata || isInMetadata(body, metadata)
}

/** What is to be the Markdown of the page; undefined if the file cannot be read as Markdown. */
function readValid(file: MarkdownFile, { vault }: ImportPage): Uint8Array | undefined {
  try {
    return readBody(file, vault)
  } catch (error) {
    if (error instanceof ImportRejected || (error instanceof Error && 'syscall' in error)) return undefined
    throw error
  }
}

/** What a dry run can say without the service. */
function checkAll({ how, onDone }: ManyPages, files: readonly MarkdownFile[]): MarkdownFile[] {
  const invalid: MarkdownFile[] = []
  for (const file of files) {
    if (readValid(file, how)) onDone('created')
    else invalid.push(file)
  }
  return invalid
}

/** Returns those that were not created. While a bundle is imported, the files of the next one are read. */
async function createAll(many: ManyPages, files: readonly MarkdownFile[]): Promise<MarkdownFile[]> {
  const rest: MarkdownFile[] = []
  const createdVersions = new Map<string, string>()
  let sending: Promise<MarkdownFile[]> = Promise.resolve([])
  for await (const bundle of bundleFiles(many, files, rest)) {
    for (const file of await sending) rest.push(file)
    sending = createBundle(many, bundle, createdVersions)
    // Awaited in the next round. Until then it must not be an unhandled rejection.
    sending.catch(() => {})
  }
  for (const file of await sending) rest.push(file)
  await recordVersions(many, createdVersions)
  return rest
}

/** Files in bundles of bounded size; adds those that cannot be read as Markdown to `rest`. */
async function* bundleFiles(
  { how }: ManyPages,
  files: readonly MarkdownFile[],
  rest: MarkdownFile[],
): AsyncGenerator<readonly BundledFile[]> {
  let bundle: BundledFile[] = []
  let bytes = 0
  for (const file of files) {
    // Lets the request of the bundle before go out.
    await turn()
    const body = readValid(file, how)
    if (!body) {
      rest.push(file)
      continue
    }
    if (bundle.length === MAX_BUNDLE_PAGES || bytes + body.length > MAX_BUNDLE_BYTES) {
      yield bundle
      bundle = []
      bytes = 0
    }
    bundle.push({ file, body })
    bytes += body.length
  }
  if (bundle.length > 0) yield bundle
}

/** Halves a rejected bundle until the page at fault is found. Returns the files of pages that were not created. */
async function createBundle(
  many: ManyPages,
  bundle: readonly BundledFile[],
  createdVersions: Map<string, string>,
): Promise<MarkdownFile[]> {
  const existing = await sendBundle(many, bundle)
  if (existing === 'rejected') {
    if (bundle.length === 1) return listFiles(bundle)
    const half = bundle.length >>> 1
    const first = await createBundle(many, bundle.slice(0, half), createdVersions)
    return [...first, ...(await createBundle(many, bundle.slice(half), createdVersions))]
  }
  const others = new Set(existing)
  for (const { file, body } of bundle) {
    if (others.has(file)) continue
    createdVersions.set(file.path.normalize('NFC'), computeSha256(body))
    many.onDone('created')
  }
  return existing
}

/** Returns the files whose pages exist, or are not known to be new. */
async function sendBundle(
  { client, space, how }: ManyPages,
  bundle: readonly BundledFile[],
): Promise<MarkdownFile[] | 'rejected'> {
  const bundlePages = (pages: readonly { readonly path: string; readonly body: string }[]) =>
    ({ format: 'page-bundle', formatVersion: 1, space: { slug: space, name: space }, pages }) as const
  try {
    const redirects = await findRedirects(bundle, async (paths) => {
      const empty = bundlePages(paths.map((path) => ({ path, body: '' })))
      return (await client.spaces.import(space, empty, { onConflict: 'skip', dryRun: true })).redirectsEnded
    })
    const pages = bundle
      .filter(({ file }) => !redirects.has(file.path.normalize('NFC')))
      .map(({ file: { path }, body }) => ({ path, body: Buffer.from(body).toString('utf8') }))
    const options = { onConflict: 'skip', frontMatter: how.metadata } as const
    const { created, conflicts } = await client.spaces.import(space, bundlePages(pages), options)
    const paths = new Set([...conflicts, ...redirects])
    if (created + paths.size !== bundle.length) return listFiles(bundle)
    return listFiles(bundle.filter(({ file }) => paths.has(file.path.normalize('NFC'))))
  } catch (error) {
    if (error instanceof ApiError && toEffect(error) === 'item') return 'rejected'
    throw error
  }
}

/** The paths of a bundle whose redirects it would end, which `importPage` rejects. */
async function findRedirects(
  bundle: readonly BundledFile[],
  endedBy: (paths: readonly string[]) => Promise<readonly { readonly from: { readonly path: string } }[] | undefined>,
): Promise<ReadonlySet<string>> {
  const redirects = new Set<string>()
  // A response lists some of them.
  for (let size = -1; size < redirects.size; ) {
    size = redirects.size
    const paths = bundle.map(({ file }) => file.path.normalize('NFC')).filter((path) => !redirects.has(path))
    for (const { from } of (await endedBy(paths)) ?? []) redirects.add(from.path)
  }
  return redirects
}

function listFiles(bundle: readonly BundledFile[]): MarkdownFile[] {
  return bundle.map(({ file }) => file)
}

/** The versions that the created pages began with: not 1 where there was a page before. */
async function recordVersions(
  { client, space, how }: ManyPages,
  createdVersions: ReadonlyMap<string, string>,
): Promise<void> {
  for await (const page of client.pages.list(space, { limit: LIST_LIMIT })) {
    const { path, createdAt, updatedAt } = page
    const sha256 = createdVersions.get(path)
    if (sha256 === undefined) continue
    const first = createdAt === updatedAt ? page.version : await firstVersion(client, space, path)
    if (first !== undefined && first !== null) how.record.set(path, { version: first, sha256 })
  }
}

/** Of a page that somebody has changed since; undefined if it has moved. */
async function firstVersion(client: Client, space: string, path: string): Promise<number | undefined> {
  try {
    return (await client.pages.versions.list(space, path).toArray()).at(-1)?.version
  } catch (error) {
    if (error instanceof ApiError && toEffect(error) === 'absent') return undefined
    throw error
  }
}
