import { pageTarget } from '../transport/address.ts'
import type { CallOptions, Connection } from '../transport/connection.ts'
import { jsonApi } from '../transport/json.ts'
import type { ListCall, Listing } from '../transport/paging.ts'
import type {
  Filter,
  FoundPage,
  FoundPages,
  MetadataBatch,
  MetadataBatchResult,
  MetadataEvent,
  MetadataKey,
  MetadataPatch,
  PageMetadata,
} from '../types.ts'

export interface MetadataQuery extends ListCall {
  /** A page must match all of them. */
  readonly filters?: readonly Filter[] | undefined
  readonly orderBy?: string | undefined
  readonly order?: 'asc' | 'desc' | undefined
  readonly space?: string | undefined
  readonly includeMetadata?: boolean | undefined
}

/** Metadata of pages, and queries over it. */
export function metadataMethods(connection: Connection) {
  const api = jsonApi(connection)
  return {
    get: (space: string, path: string, call?: CallOptions): Promise<PageMetadata> =>
      api.get(pageTarget(space, path, '/metadata'), call),
    /**
     * Changes keys, all or none. It creates no revision and needs no version.
     *
     * ```js
     * await recto.metadata.patch('docs', 'guide/start', { set: { status: 'review' }, appendUnique: { tags: 'new' } })
     * ```
     */
    patch: (space: string, path: string, patch: MetadataPatch, call?: CallOptions): Promise<PageMetadata> =>
      api.patch(pageTarget(space, path, '/metadata'), patch, call),
    /**
     * The same patch for up to 100 pages, or for those that match `filters`: each has its own outcome.
     *
     * ```js
     * await recto.metadata.batch({ filters: [{ key: 'status', op: 'eq', value: 'draft' }], set: { status: 'review' } })
     * ```
     */
    batch: (batch: MetadataBatch, call?: CallOptions): Promise<MetadataBatchResult> =>
      api.post('/metadata/batch', batch, call),
    /** Changes of keys, newest first. */
    history: (
      space: string,
      path: string,
      options?: ListCall & { readonly key?: string | undefined },
    ): Listing<MetadataEvent> => api.list(pageTarget(space, path, '/metadata/history'), options),
    /**
     * Pages by their metadata.
     *
     * ```js
     * const filters = [{ key: 'status', op: 'eq', value: 'review' }]
     * for await (const { path } of recto.metadata.search({ filters, orderBy: 'due' })) console.log(path)
     * ```
     */
    search: (query: MetadataQuery = {}): Listing<FoundPage, FoundPages> =>
      api.list('/search/metadata', withFilters(query)),
    /** The keys in use, most used first. */
    keys: (
      options?: ListCall & { readonly space?: string | undefined; readonly prefix?: string | undefined },
    ): Listing<MetadataKey> => api.list('/search/metadata/keys', options),
  }
}

/** The query of a list, with its filters as JSON. */
export function withFilters<T extends ListCall & { readonly filters?: readonly Filter[] | undefined }>({
  filters,
  ...options
}: T): ListCall {
  return { ...options, ...(filters && { filters: JSON.stringify(filters) }) }
}
