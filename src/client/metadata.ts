import { pageTarget, targetWithQuery } from './address.ts'
import { jsonApi } from './json.ts'
import type { ListCall, Listing } from './paging.ts'
import type { CallOptions, Connection } from './request.ts'
import type {
  AnswerTo,
  Filter,
  FoundPage,
  MetadataEvent,
  MetadataKey,
  MetadataPatch,
  PageMetadata,
  SearchHit,
  SearchPage,
  SearchSuggestions,
  TitleHit,
} from './types.ts'

export interface MetadataQuery extends ListCall {
  /** A page must match all of them. */
  readonly filters?: readonly Filter[] | undefined
  readonly orderBy?: string | undefined
  readonly order?: 'asc' | 'desc' | undefined
  readonly space?: string | undefined
  readonly includeMetadata?: boolean | undefined
}

/** Hits; each page of results also has the interpretation of the query. */
interface SearchListing extends Listing<SearchHit> {
  page(cursor?: string): Promise<SearchPage>
}

export interface SearchOptions extends ListCall {
  readonly space?: string | undefined
  readonly filters?: readonly Filter[] | undefined
}

/** Metadata of pages, metadata queries and full-text search. */
export interface MetadataMethods {
  getMetadata(space: string, path: string, call?: CallOptions): Promise<PageMetadata>
  /** Changes keys, all or none. It creates no revision and needs no version. */
  patchMetadata(space: string, path: string, patch: MetadataPatch, call?: CallOptions): Promise<PageMetadata>
  /** Changes of keys, newest first. */
  listMetadataHistory(
    space: string,
    path: string,
    options?: ListCall & { readonly key?: string | undefined },
  ): Listing<MetadataEvent>
  searchMetadata(query?: MetadataQuery): Listing<FoundPage>
  /** The keys in use, most used first. */
  listMetadataKeys(
    options?: ListCall & { readonly space?: string | undefined; readonly prefix?: string | undefined },
  ): Listing<MetadataKey>
  /** Full-text search in titles and bodies, best hits first. */
  search(words: string, options?: SearchOptions): SearchListing
  /** Suggestions while a query is typed: pages, headings and words. */
  suggestSearches(
    typed: string,
    options?: CallOptions & { readonly space?: string | undefined; readonly limit?: number | undefined },
  ): Promise<SearchSuggestions>
  /** The best matches of a prefix of a title or path, for completion. */
  findTitles(
    typed: string,
    options?: CallOptions & { readonly space?: string | undefined; readonly limit?: number | undefined },
  ): Promise<readonly TitleHit[]>
}

/** The methods of metadata and of search. */
export function metadataMethods(connection: Connection): MetadataMethods {
  const api = jsonApi(connection)
  const queryOf = <T extends SearchOptions>({ filters, ...options }: T) => ({
    ...options,
    filters: filters && JSON.stringify(filters),
  })
  return {
    getMetadata: (space, path, call) => api.get(pageTarget(space, path, '/metadata'), call),
    patchMetadata: (space, path, patch, call) => api.patch(pageTarget(space, path, '/metadata'), patch, call),
    listMetadataHistory: (space, path, options) =>
      api.list(pageTarget(space, path, '/metadata/history'), options),
    searchMetadata: (query = {}) => api.list('/search/metadata', queryOf(query)),
    listMetadataKeys: (options) => api.list('/search/metadata/keys', options),
    search: (words, options = {}) => api.list('/search', queryOf({ ...options, q: words })) as SearchListing, // the pages of results have more members
    suggestSearches: (typed, { signal, ...options } = {}) =>
      api.get<SearchSuggestions>(targetWithQuery('/search/suggest', { ...options, q: typed }), { signal }),
    async findTitles(typed, { signal, ...options } = {}) {
      const target = targetWithQuery('/titles', { ...options, q: typed })
      return (await api.get<AnswerTo<'/titles'>>(target, { signal })).items
    },
  }
}
