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
export function searchMethods(connection: Connection) {
  const api = jsonApi(connection)
  return {
    /** Searches titles and bodies, best hits first. A page of results also has the interpretation of the query. */
    pages: (words: string, options: SearchOptions = {}): Listing<SearchHit, SearchPage> =>
      api.list('/search', withFilters({ ...options, q: words })),
    /** Suggestions while a query is typed: pages, headings and words. */
    suggest: (
      typed: string,
      {
        space,
        limit,
        ...call
      }: CallOptions & { readonly space?: string | undefined; readonly limit?: number | undefined } = {},
    ): Promise<SearchSuggestions> =>
      api.get(targetWithQuery('/search/suggest', { space, limit, q: typed }), call),
  }
}
