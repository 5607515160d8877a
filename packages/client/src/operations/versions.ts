import { pageTarget } from '../transport/address.ts'
import { conditionHeaders, type IfMatch } from '../transport/condition.ts'
import type { Connection } from '../transport/connection.ts'
import { jsonApi } from '../transport/json.ts'
import type { ListCall, Listing } from '../transport/paging.ts'
import type { Page, Revision } from '../types.ts'

/** The revisions of a page. */
export function versionMethods(connection: Connection) {
  const api = jsonApi(connection)
  return {
    /** The revisions of a page, newest first. */
    list: (space: string, path: string, options?: ListCall): Listing<Revision> =>
      api.list(pageTarget(space, path, '/versions'), options),
    /** Restores an older version as a new one. */
    restore(space: string, path: string, version: number, { ifMatch, ...call }: IfMatch = {}): Promise<Page> {
      const target = pageTarget(space, path, `/versions/${version}/make-latest`)
      return api.post(target, undefined, call, { headers: conditionHeaders(ifMatch) })
    },
  }
}
