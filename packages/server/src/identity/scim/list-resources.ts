import { type Json, listResponse, type Resource, type ScimQuery, toPage } from './protocol.ts'
import { selectAttributes } from './select-attributes.ts'

interface Listing<Row> {
  count(): Promise<number>
  list(window: { readonly offset: number; readonly limit: number }): Promise<readonly Row[]>
  toResource(row: Row): Resource
}

/** A page of a list, with the attributes that the query selects; `count=0` asks for the total alone. */
export async function listResources<Row>(query: ScimQuery, listing: Listing<Row>): Promise<Json> {
  const { startIndex, count } = toPage(query)
  const [total, rows] = await Promise.all([
    listing.count(),
    count === 0 ? [] : listing.list({ offset: startIndex - 1, limit: count }),
  ])
  const resources = rows.map((row) => selectAttributes(listing.toResource(row), query))
  return listResponse(resources, { total, startIndex })
}
