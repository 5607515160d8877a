import { sql } from 'kysely'
import type { Tx } from '../database/transaction.ts'

type Writing = Pick<Tx, 'db'>

interface NamedSpace {
  readonly id: number
  readonly slug: string
}

/** Locks slugs without a space: against concurrent links to them, and against creating or renaming such a space. */
export async function lockSlugs(tx: Writing, slugs: readonly string[]): Promise<void> {
  await sql`insert into unknown_space (slug)
    select slug collate "C" from unnest(${slugs}::text[]) as input (slug) order by 1
    on conflict (slug) do update set slug = excluded.slug`.execute(tx.db)
}

/**
 * Gives a space with a new slug the addresses of the broken links to this slug: from now on those are links to the
 * space. Call it in the transaction that creates the space or changes its slug.
 */
export async function adoptAddresses(tx: Writing, { id, slug }: NamedSpace): Promise<void> {
  await lockSlugs(tx, [slug])
  const { rows } = await sql`select 1 from unknown_address where slug = ${slug} limit 1`.execute(tx.db)
  if (rows.length > 0) {
    await sql`insert into page_address (space_id, path, id)
      select ${id}, path, id from unknown_address where slug = ${slug} order by path
      on conflict (space_id, path) do nothing`.execute(tx.db)
    await turnLinks(tx, { id, slug })
    await sql`delete from unknown_address where slug = ${slug}`.execute(tx.db)
  }
  await sql`delete from unknown_space where slug = ${slug}`.execute(tx.db)
}

/**
 * Sets the address of the row `link` to `turned.id`: as its key, unless another row of the page has this key, which names the
 * address by another slug. Then its key is one that no other row of the page has (links/store.ts).
 */
const taken = sql`exists (
  select 1 from link other where other.space_id = link.space_id and other.page_id = link.page_id and other.target_id = turned.id
    and other.target_id <> link.target_id)`
const pointsTo = sql`target_id = case when ${taken} then -1 - link.ord else turned.id end,
      address_id = case when ${taken} then turned.id end`

async function turnLinks(tx: Writing, { id, slug }: NamedSpace): Promise<void> {
  await sql`
    with turned as materialized (
      select link.space_id, link.page_id, link.target_id, address.id
      from unknown_address unknown
      join page_address address on address.space_id = ${id} and address.path = unknown.path
      join link on link.target_space_id is null and coalesce(link.address_id, link.target_id) = unknown.id
      where unknown.slug = ${slug}
    ), known as (
      insert into space_link (space_id, target_space_id)
      select distinct space_id, ${id}::bigint from turned where space_id <> ${id} order by 1
      on conflict do nothing
    )
    update link set target_space_id = ${id}, slug = ${slug}, ${pointsTo} from turned
    where link.space_id = turned.space_id
      and link.page_id = turned.page_id and link.target_id = turned.target_id`.execute(tx.db)
}

/** Moves links by a slug that redirected to the space `from` to the space that has it now. */
export async function retargetSlug(
  tx: Writing,
  { id, slug, from }: NamedSpace & { readonly from: number },
): Promise<void> {
  await sql`insert into page_address (space_id, path)
    select distinct ${id}::bigint, address.path from link
    join page_address address on address.space_id = link.target_space_id and address.id = coalesce(link.address_id, link.target_id)
    where link.target_space_id = ${from} and link.slug = ${slug} order by 2
    on conflict (space_id, path) do nothing`.execute(tx.db)
  await sql`
    with turned as materialized (
      select link.space_id, link.page_id, link.target_id, target.id
      from link
      join page_address address on address.space_id = link.target_space_id and address.id = coalesce(link.address_id, link.target_id)
      join page_address target on target.space_id = ${id} and target.path = address.path
      where link.target_space_id = ${from} and link.slug = ${slug}
    ), known as (
      insert into space_link (space_id, target_space_id)
      select distinct space_id, ${id}::bigint from turned where space_id <> ${id} order by 1
      on conflict do nothing
    )
    update link set target_space_id = ${id}, ${pointsTo} from turned
    where link.space_id = turned.space_id
      and link.page_id = turned.page_id and link.target_id = turned.target_id`.execute(tx.db)
}

/**
 * Detaches the links of other spaces from this one, which is about to be deleted: they are broken until there is a
 * space with their slug again.
 */
export async function releaseAddresses(
  tx: Writing,
  { id, slug, former }: NamedSpace & { readonly former: readonly string[] },
): Promise<void> {
  await lockSlugs(tx, [slug, ...former])
  await sql`update link set slug = ${slug}
    where target_space_id = ${id} and space_id <> ${id} and slug = ''`.execute(tx.db)
  await sql`insert into unknown_address (slug, path)
    select distinct link.slug, address.path from link join page_address address on address.space_id = ${id} and address.id = coalesce(link.address_id, link.target_id)
    where link.target_space_id = ${id} and link.space_id <> ${id}
    order by 1, 2
    on conflict (slug, path) do nothing`.execute(tx.db)
  await sql`update link set target_space_id = null, target_id = unknown.id, address_id = null
    from page_address address, unknown_address unknown
    where link.target_space_id = ${id} and link.space_id <> ${id} and address.space_id = ${id}
      and address.id = coalesce(link.address_id, link.target_id)
      and unknown.slug = link.slug and unknown.path = address.path`.execute(tx.db)
  await sql`delete from space_link where target_space_id = ${id}`.execute(tx.db)
}
