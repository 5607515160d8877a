import { pageTarget } from '../transport/address.ts'
import { conditionHeaders, type IfMatch } from '../transport/condition.ts'
import type { Connection } from '../transport/connection.ts'
import { jsonApi } from '../transport/json.ts'
import type { ListCall, Listing } from '../transport/paging.ts'
import type { Page, Revision } from '../types.ts'

/** The revisions of a page. */
export interface VersionMethods {
  /** The revisions of a page, newest first. */
  list(space: string, path: string, options?: ListCall): Listing<Revision>
  /** Restores an older version as a new one. */
  restore(space: string, path: string, version: number, options?: IfMatch): Promise<Page>
}

/** The methods of revisions. */
export function versionMethods(connection: Connection): VersionMethods {
  const api = jsonApi(connection)
  return {
    list: (space, path, options) => api.list(pageTarget(space, path, '/versions'), options),
    restore(space, path, version, { ifMatch, ...call } = {}) {
      const target = pageTarget(space, path, `/versions/${version}/make-latest`)
      return api.post(target, undefined, call, { headers: conditionHeaders(ifMatch) })
    },
  }
}
