import type { PageAddress } from '@recto/contract/page-address.ts'
import { sql } from 'kysely'
import { memberJoin, rankAt, ruleJoin } from '../../access/visibility.ts'
import { HOLDER } from '../../identity/rights/store-rights.ts'
import { type Db, queryRows } from '../../platform/database/database.ts'
import { addressId } from '../links/store-read.ts'
import { type HiddenPlaces, toPairKey, toPlaceKey } from '../pages/many/hidden-places.ts'
import { holders } from '../spaces/store-readers.ts'

export interface PlacedAddress extends PageAddress {
  readonly spaceId: number
}

/** Which of some targets are hidden from somebody who reads one of some pages: place by place. */
export async function findHiddenPlaces(
  db: Db,
  pages: readonly PlacedAddress[],
  targets: readonly PlacedAddress[],
): Promise<HiddenPlaces> {
  const spaces = new Map([...pages, ...targets].map(({ spaceId, space }) => [spaceId, space]))
  const prefixes = await listPrefixes(db, spaces)
  const toPlaces = (addresses: readonly PlacedAddress[]) =>
    new Map(addresses.map((address) => [toPlaceKey({ prefixes }, address), address]))
  const from = toPlaces(pages)
  const to = toPlaces(targets)
  const isOne = new Set([...from.keys(), ...to.keys()]).size < 2
  return { prefixes, pairs: isOne ? new Set() : await listHiddenPairs(db, from, to) }
}

async function listPrefixes(db: Db, spaces: ReadonlyMap<number, string>): Promise<HiddenPlaces['prefixes']> {
  const rows = await queryRows<{ space_id: number; prefix: string }>(db)`
    select space_id, prefix from folder_rule where space_id = any(${[...spaces.keys()]}::bigint[])`
  const bySpace = Map.groupBy(rows, (row) => spaces.get(row.space_id) ?? '')
  return new Map([...bySpace].map(([slug, rules]) => [slug, new Set(rules.map(({ prefix }) => prefix))]))
}

/** The pairs of places whose first one somebody reads who cannot read the second. */
async function listHiddenPairs(
  db: Db,
  from: ReadonlyMap<string, PlacedAddress>,
  to: ReadonlyMap<string, PlacedAddress>,
): Promise<ReadonlySet<string>> {
  const places = new Map([...from, ...to])
  const rows = [...places].map(([key, { spaceId, path }]) => ({ key, space_id: spaceId, path }))
  const { rows: pairs } = await sql<{ page: string; target: string }>`
    with holder as (${holders}), reader as materialized (
      select place.key, holder.id
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as place (key text, space_id bigint, path text) cross
      join holder
      where exists (select from space ${memberJoin(HOLDER)} ${ruleJoin(HOLDER, sql`place.path`)}
        where space.id = place.space_id and ${rankAt(HOLDER)} >= 1)
    )
    select page.key as page, target.key as target
    from unnest(${[...from.keys()]}::text[]) as page (key) cross join unnest(${[...to.keys()]}::text[]) as target (key)
    where page.key <> target.key and exists (
      select id from reader where key = page.key except select id from reader where key = target.key)`.execute(db)
  return new Set(pairs.map(({ page, target }) => toPairKey(page, target)))
}

/** For each place of a space to which links or files of some of its pages lead: an address there. */
export async function listPlacesLinkedFrom(
  db: Db,
  source: { readonly spaceId: number; readonly space: string; readonly pageIds: readonly number[] },
): Promise<PlacedAddress[]> {
  const { spaceId, space, pageIds } = source
  // The prefix of a rule is a path where it decides; without a rule all are one place.
  const rows = await queryRows<{ path: string }>(db)`
    select distinct coalesce(nearest.prefix, '') as path from (
      select address.path from link join page_address address
        on address.space_id = link.target_space_id and address.id = ${addressId}
      where link.space_id = ${spaceId} and link.page_id = any(${pageIds}::bigint[])
        and link.target_space_id = ${spaceId}
      union
      select path from file_link where space_id = ${spaceId} and page_id = any(${pageIds}::bigint[])
    ) linked
    left join lateral (
      select rule.prefix from folder_rule rule
      where rule.space_id = ${spaceId} and rule.prefix = any(path_prefixes(linked.path))
      order by length(rule.prefix) desc limit 1
    ) nearest on true
    where exists (select from folder_rule rule where rule.space_id = ${spaceId})`
  return [{ path: '' }, ...rows].map(({ path }) => ({ spaceId, space, path }))
}
