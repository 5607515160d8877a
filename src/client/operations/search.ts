import { targetWithQuery } from '../transport/address.ts'
import type { CallOptions, Connection } from '../transport/connection.ts'
import { jsonApi } from '../transport/json.ts'
import type { ListCall, Listing } from '../transport/paging.ts'
import type { Filter, SearchHit, SearchPage, SearchSuggestions } from '../types.ts'
import { withFilters } from './metadata.ts'

export interface SearchOptions extends ListCall {
  readonly space?: string | undefined
  readonly filters?: readonly Filter[] | undefined
}

/** Full-text search. */
export interface SearchMethods {
  /** Searches titles and bodies, best hits first. A page of results also has the interpretation of the query. */
  pages(words: string, options?: SearchOptions): Listing<SearchHit, SearchPage>
  /** Suggestions while a query is typed: pages, headings and words. */
  suggest(
    typed: string,
    options?: CallOptions & { readonly space?: string | undefined; readonly limit?: number | undefined },
  ): Promise<SearchSuggestions>
}

/** The methods of search. */
export function searchMethods(connection: Connection): SearchMethods {
  const api = jsonApi(connection)
  return {
    pages: (words, options = {}) => api.list('/search', withFilters({ ...options, q: words })),
    suggest: (typed, { space, limit, ...call } = {}) =>
      api.get(targetWithQuery('/search/suggest', { space, limit, q: typed }), call),
  }
}
