/** All requests of the synchronisation: to the space, or through the change request that the folder follows. */
import type { Client } from '@recto/client/client.ts'
import { ApiError } from '@recto/client/transport/errors.ts'
import { toEffect } from '@recto/contract/error-effect.ts'
import { inParallel } from '@recto/lib/concurrency/in-parallel.ts'
import type { VersionTag } from '@recto/lib/network/header-values.ts'
import { computeSha256, type Metadata, pageVersion, type RemoteItem } from './entry.ts'
import { StaleError, type Step, writeMethods } from './service-writes.ts'
import type { SyncConfig } from './state.ts'

/** A page or file that was asked for by its path: it can be at another one now, or not in the space. */
export type Found =
  | { readonly item: RemoteItem }
  /** `inTrash`: it can be restored. */
  | { readonly item?: undefined; readonly inTrash: boolean }

export type Service = ReturnType<typeof createService>

/** The space with a slug, by which it can be known after it was renamed; undefined if it is not visible. */
export async function findSpace(client: Client, slug: string) {
  const foundSpace = await client.spaces.find(slug)
  return foundSpace && { slug: foundSpace.slug, createdAt: foundSpace.createdAt }
}

export const PAGES_AT_ONCE = 100
const EVENTS_AT_ONCE = 200
export const LIST_LIMIT = 200
const READS = 8

export function createService(client: Client, { space, changeRequest }: SyncConfig, step: Step) {
  const query = changeRequest === undefined ? {} : { changeRequest: String(changeRequest) }
  const overlay: Overlay = {
    query,
    number: changeRequest,
    changedPaths: createChangedPaths(client, space, changeRequest),
  }
  const reads = readMethods(client, space, overlay)
  return {
    space,
    ...feedMethods(client, space),
    ...listMethods(client, space, overlay, reads.metadata),
    ...reads,
    ...writeMethods(client, space, step, query),
  }
}

/** The change request of a folder; without one, the members are empty. */
interface Overlay {
  readonly query: { readonly changeRequest?: string }
  readonly number: number | undefined
  /** The paths of pages that it changes, before and after: lists of many pages do not show these through it. */
  readonly changedPaths: () => Promise<ReadonlySet<string>>
}

function createChangedPaths(client: Client, space: string, number: number | undefined): Overlay['changedPaths'] {
  const read = async () => {
    const { items } = number === undefined ? { items: [] } : await client.changeRequests.changes(space, number)
    const pages = items.filter(({ resource }) => resource === 'page')
    return new Set(pages.flatMap(({ path, movedFrom }) => (movedFrom === null ? [path] : [path, movedFrom])))
  }
  let reading: Promise<ReadonlySet<string>> | undefined
  return () => {
    reading ??= read()
    return reading
  }
}

function feedMethods(client: Client, space: string) {
  return {
    /** The events after a position. */
    async changes(since: string) {
      const page = await client.changes.list({ since, space, limit: EVENTS_AT_ONCE }).page()
      return { events: page.items, nextCursor: page.nextCursor, hasMore: page.hasMore }
    },
    /** The position in the feed after all changes that a list shows. */
    now: async () => (await client.changes.list({ since: 'now', space }).page()).nextCursor,
    /** The changes after a position, for as long as it takes. */
    follow: (since: string, signal: AbortSignal) => client.changes.follow({ since, space, signal }),
  }
}

function listMethods(
  client: Client,
  space: string,
  { query, changedPaths }: Overlay,
  readMetadata: (path: string) => Promise<Metadata | undefined>,
) {
  return {
    async *list(): AsyncGenerator<RemoteItem> {
      for await (const page of client.pages.list(space, { limit: LIST_LIMIT, ...query })) {
        yield { kind: 'page', path: page.path, version: pageVersion(page) }
      }
      for await (const file of client.files.list(space, { limit: LIST_LIMIT, ...query })) {
        yield { kind: 'file', path: file.path, version: pageVersion(file), digest: file.digest }
      }
    },
    async listMetadata(): Promise<ReadonlyMap<string, Metadata>> {
      const metadataByPath = new Map<string, Metadata>()
      const search = { space, includeMetadata: true, limit: LIST_LIMIT }
      for await (const { path, metadata } of client.metadata.search(search)) metadataByPath.set(path, metadata ?? {})
      await inParallel(await changedPaths(), READS, async (path) => {
        metadataByPath.set(path, (await readMetadata(path)) ?? {})
      })
      return metadataByPath
    },
    /** The pages after a path that no change request changes, in the order of bytes, with metadata: one request. */
    async *exportPages(after: string): AsyncGenerator<RemoteItem> {
      const requestPaths = await changedPaths()
      for await (const { body, metadata = {}, ...page } of client.spaces.exportPages(space, { after })) {
        const bytes = Buffer.from(body)
        if (!requestPaths.has(page.path))
          yield { kind: 'page', ...page, body: bytes, digest: computeSha256(bytes), metadata }
      }
    },
  }
}

function readMethods(client: Client, space: string, { query, number, changedPaths }: Overlay) {
  /** The page as the change request makes it. */
  const readDraft = async (path: string): Promise<Found> => {
    const markdown = await client.rawPages.read(space, path, undefined, number)
    if (!markdown) return { inTrash: false }
    const body = Buffer.from(markdown.body)
    return { item: { kind: 'page', path, version: pageVersion(markdown), body, digest: computeSha256(body) } }
  }
  return {
    /** Up to 100 pages with their bodies. */
    async readPages(paths: readonly string[]): Promise<readonly (Found | undefined)[]> {
      const requestPaths = await changedPaths()
      const pages = new Map<string, Found>()
      const draftPaths = paths.filter((path) => requestPaths.has(path))
      await inParallel(draftPaths, READS, async (path) => {
        pages.set(path, await readDraft(path))
      })
      const others = paths.filter((path) => !pages.has(path)).map((path) => ({ space, path }))
      const items = others.length === 0 ? [] : await client.pages.batchGet(others)
      for (const item of items) pages.set(item.path, await foundPage(client, space, item))
      return paths.map((path) => pages.get(path))
    },
    async readFile(path: string): Promise<Found> {
      const request = client.files.get(space, path, { changeRequest: number })
      const file = await request.catch(whereAbsent(({ status }) => ({ inTrash: status === 410 })))
      if ('inTrash' in file) return file
      if (file.space !== space) return { inTrash: false }
      return { item: { kind: 'file', path: file.path, version: pageVersion(file), digest: file.digest } }
    },
    /** The Markdown of a version; undefined if there is none. Only the last state of a draft is kept. */
    async readVersion(path: string, version: VersionTag) {
      if (typeof version === 'string') return (await readDraft(path)).item?.body
      const markdown = await client.rawPages.read(space, path, version)
      return markdown && Buffer.from(markdown.body)
    },
    async openFile(path: string, version: VersionTag) {
      const at = typeof version === 'string' ? { changeRequest: number } : { version: Number(version) }
      const bytes = await client.files.read(space, path, at).catch(whereAbsent((error) => error))
      if (bytes instanceof ApiError) throw new StaleError(bytes.message, { cause: bytes })
      return bytes
    },
    /** Undefined if the page is not there any more. */
    async metadata(path: string): Promise<Metadata | undefined> {
      const page = await client.metadata.get(space, path, query).catch(whereAbsent(() => undefined))
      return page?.space === space && page.path === path ? page.metadata : undefined
    },
  }
}

async function foundPage(
  client: Client,
  space: string,
  { path, status, page, error }: Awaited<ReturnType<Client['pages']['batchGet']>>[number],
): Promise<Found> {
  if (page) {
    if (page.space !== space) return { inTrash: false }
    const body = Buffer.from(page.body)
    return { item: { kind: 'page', path: page.path, version: pageVersion(page), body, digest: computeSha256(body) } }
  }
  // Too large for one response together with the pages before it.
  if (status === 413) {
    const { body, version } = await client.pages.getMarkdown(space, path, { follow: false })
    const bytes = Buffer.from(body)
    return { item: { kind: 'page', path, version, body: bytes, digest: computeSha256(bytes) } }
  }
  const problem = new ApiError(status, String(error?.code), `${space}/${path} cannot be read.`)
  if (isAbsent(problem)) return { inTrash: status === 410 }
  throw problem
}

/** For `catch`: a value where nothing is there. */
function whereAbsent<T>(toValue: (error: ApiError) => T): (error: unknown) => T {
  return (error) => {
    if (isAbsent(error)) return toValue(error)
    throw error
  }
}

/** Nothing is at a path that the service refuses either. */
function isAbsent(error: unknown): error is ApiError {
  return error instanceof ApiError && (toEffect(error) === 'absent' || error.code === 'invalid_path')
}
