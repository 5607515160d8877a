import { attributeName, type Json, listResponse, type Resource, type ScimQuery, toPage } from './protocol.ts'

/** Returned whatever is asked for (RFC 7643, 3.1). */
const ALWAYS: ReadonlySet<string> = new Set(['schemas', 'id'])

type Selection = Pick<ScimQuery, 'attributes' | 'excludedAttributes'>

/** Whether an attribute of the first level is part of the response. */
export function isSelected({ attributes, excludedAttributes }: Selection, name: string): boolean {
  const wantedNames = namesIn(attributes)
  if (wantedNames) return wantedNames.some((each) => each === name || each.startsWith(`${name}.`))
  return !namesIn(excludedAttributes)?.includes(name)
}

/** The attributes that the request selects (RFC 7644, 3.9). */
export function selectAttributes(resource: Json, selection: Selection): Json {
  const wantedNames = namesIn(selection.attributes)
  const excludedNames = namesIn(selection.excludedAttributes) ?? []
  return Object.fromEntries(
    Object.entries(resource).flatMap(([key, value]): [string, unknown][] => {
      const name = key.toLowerCase()
      if (ALWAYS.has(name) || wantedNames?.includes(name)) return [[key, value]]
      if (wantedNames) {
        const subs = subAttributes(wantedNames, name)
        return subs.length === 0 ? [] : [[key, filterMembers(value, (sub) => subs.includes(sub))]]
      }
      if (excludedNames.includes(name)) return []
      const subs = subAttributes(excludedNames, name)
      return [[key, subs.length === 0 ? value : filterMembers(value, (sub) => !subs.includes(sub))]]
    }),
  )
}

function namesIn(list: string | undefined): string[] | undefined {
  return list ? list.split(',').map(attributeName) : undefined
}

function subAttributes(names: readonly string[], parent: string): string[] {
  return names.filter((name) => name.startsWith(`${parent}.`)).map((name) => name.slice(parent.length + 1))
}

function filterMembers(value: unknown, keep: (name: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => filterMembers(item, keep))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).filter(([name]) => keep(name.toLowerCase())))
}

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
