/** All requests of the synchronisation. */
import type { Client } from '@recto/client/client.ts'
import { ApiError } from '@recto/client/transport/errors.ts'
import { toEffect } from '@recto/contract/error-effect.ts'
import { type Metadata, type RemoteItem, sha256 } from './entry.ts'
import { pageVersion } from './page-version.ts'
import { StaleError, type Step, writeMethods } from './service-writes.ts'

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

export function createService(client: Client, space: string, step: Step) {
  return {
    space,
    ...feedMethods(client, space),
    ...listMethods(client, space),
    ...readMethods(client, space),
    ...writeMethods(client, space, step),
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

function listMethods(client: Client, space: string) {
  return {
    async *list(): AsyncGenerator<RemoteItem> {
      for await (const page of client.pages.list(space, { limit: LIST_LIMIT })) {
        yield { kind: 'page', path: page.path, version: pageVersion(page) }
      }
      for await (const { path, version, digest } of client.files.list(space, { limit: LIST_LIMIT })) {
        yield { kind: 'file', path, version, digest }
      }
    },
    async listMetadata(): Promise<ReadonlyMap<string, Metadata>> {
      const metadataByPath = new Map<string, Metadata>()
      const query = { space, includeMetadata: true, limit: LIST_LIMIT }
      for await (const { path, metadata } of client.metadata.search(query)) metadataByPath.set(path, metadata ?? {})
      return metadataByPath
    },
    /** All pages after a path, in the order of bytes, with bodies and metadata: one request. */
    async *exportPages(after: string): AsyncGenerator<RemoteItem> {
      for await (const { body, metadata = {}, ...page } of client.spaces.exportPages(space, { after })) {
        const bytes = Buffer.from(body)
        yield { kind: 'page', ...page, body: bytes, digest: sha256(bytes), metadata }
      }
    },
  }
}

function readMethods(client: Client, space: string) {
  return {
    /** Up to 100 pages with their bodies. */
    async readPages(paths: readonly string[]): Promise<readonly Found[]> {
      const items = await client.pages.batchGet(paths.map((path) => ({ space, path })))
      return Promise.all(items.map((item) => foundPage(client, space, item)))
    },
    async readFile(path: string): Promise<Found> {
      try {
        const file = await client.files.get(space, path)
        if (file.space !== space) return { inTrash: false }
        return { item: { kind: 'file', path: file.path, version: file.version, digest: file.digest } }
      } catch (error) {
        if (!isAbsent(error)) throw error
        return { inTrash: error.status === 410 }
      }
    },
    /** The Markdown of a version; undefined if there is none. */
    async readVersion(path: string, version: number) {
      const markdown = await client.rawPages.read(space, path, version)
      return markdown && Buffer.from(markdown.body)
    },
    async openFile(path: string, version: number) {
      try {
        return await client.files.read(space, path, { version })
      } catch (error) {
        throw isAbsent(error) ? new StaleError(error.message, { cause: error }) : error
      }
    },
    /** Undefined if the page is not there any more. */
    async metadata(path: string): Promise<Metadata | undefined> {
      try {
        const foundMetadata = await client.metadata.get(space, path)
        return foundMetadata.space === space && foundMetadata.path === path ? foundMetadata.metadata : undefined
      } catch (error) {
        if (!isAbsent(error)) throw error
        return undefined
      }
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
    return { item: { kind: 'page', path: page.path, version: pageVersion(page), body, digest: sha256(body) } }
  }
  // Too large for one response together with the pages before it.
  if (status === 413) {
    const { body, version } = await client.pages.getMarkdown(space, path, { follow: false })
    const bytes = Buffer.from(body)
    return { item: { kind: 'page', path, version, body: bytes, digest: sha256(bytes) } }
  }
  const problem = new ApiError(status, String(error?.code), `${space}/${path} cannot be read.`)
  if (isAbsent(problem)) return { inTrash: status === 410 }
  throw problem
}

/** Nothing is at a path that the service refuses either. */
function isAbsent(error: unknown): error is ApiError {
  return error instanceof ApiError && (toEffect(error) === 'absent' || error.code === 'invalid_path')
}
