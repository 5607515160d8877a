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
    select slug collate "C" from unnest(${slugs}::text[]) as t (slug) order by 1
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
 * Sets the address of the row `l` to `t.id`: as its key, unless another row of the page has this key, which names the
 * address by another slug. Then its key is one that no other row of the page has (links/store.ts).
 */
const taken = sql`exists (
  select 1 from link o where o.space_id = l.space_id and o.page_id = l.page_id and o.target_id = t.id
    and o.target_id <> l.target_id)`
const pointsTo = sql`target_id = case when ${taken} then -1 - l.ord else t.id end,
      address_id = case when ${taken} then t.id end`

async function turnLinks(tx: Writing, { id, slug }: NamedSpace): Promise<void> {
  await sql`
    with turned as materialized (
      select l.space_id, l.page_id, l.target_id, a.id
      from unknown_address u
      join page_address a on a.space_id = ${id} and a.path = u.path
      join link l on l.target_space_id is null and l.target_id = u.id
      where u.slug = ${slug}
    ), known as (
      insert into space_link (space_id, target_space_id)
      select distinct space_id, ${id}::bigint from turned where space_id <> ${id} order by 1
      on conflict do nothing
    )
    update link l set target_space_id = ${id}, slug = ${slug}, ${pointsTo} from turned t
    where l.space_id = t.space_id and l.page_id = t.page_id and l.target_id = t.target_id`.execute(tx.db)
}

/** Moves links by a slug that redirected to the space `from` to the space that has it now. */
export async function retargetLinks(
  tx: Writing,
  { id, slug, from }: NamedSpace & { readonly from: number },
): Promise<void> {
  await sql`insert into page_address (space_id, path)
    select distinct ${id}::bigint, a.path from link l
    join page_address a on a.space_id = l.target_space_id and a.id = coalesce(l.address_id, l.target_id)
    where l.target_space_id = ${from} and l.slug = ${slug} order by 2
    on conflict (space_id, path) do nothing`.execute(tx.db)
  await sql`
    with turned as materialized (
      select l.space_id, l.page_id, l.target_id, n.id
      from link l
      join page_address a on a.space_id = l.target_space_id and a.id = coalesce(l.address_id, l.target_id)
      join page_address n on n.space_id = ${id} and n.path = a.path
      where l.target_space_id = ${from} and l.slug = ${slug}
    ), known as (
      insert into space_link (space_id, target_space_id)
      select distinct space_id, ${id}::bigint from turned where space_id <> ${id} order by 1
      on conflict do nothing
    )
    update link l set target_space_id = ${id}, ${pointsTo} from turned t
    where l.space_id = t.space_id and l.page_id = t.page_id and l.target_id = t.target_id`.execute(tx.db)
}

/**
 * Detaches the links of other spaces from this one, which is about to be deleted: by the slugs that they name they
 * are broken until there are such spaces again.
 */
export async function releaseAddresses(
  tx: Writing,
  { id, slug, former }: NamedSpace & { readonly former: readonly string[] },
): Promise<void> {
  await lockSlugs(tx, [slug, ...former])
  await sql`update link set slug = ${slug} where target_space_id = ${id} and space_id <> ${id} and slug = ''`.execute(
    tx.db,
  )
  await sql`insert into unknown_address (slug, path)
    select distinct l.slug, a.path from link l join page_address a on a.space_id = ${id} and a.id = coalesce(l.address_id, l.target_id)
    where l.target_space_id = ${id} and l.space_id <> ${id}
    order by 1, 2
    on conflict (slug, path) do nothing`.execute(tx.db)
  await sql`update link l set target_space_id = null, target_id = u.id, address_id = null
    from page_address a, unknown_address u
    where l.target_space_id = ${id} and l.space_id <> ${id} and a.space_id = ${id}
      and a.id = coalesce(l.address_id, l.target_id)
      and u.slug = l.slug and u.path = a.path`.execute(tx.db)
  await sql`delete from space_link where target_space_id = ${id}`.execute(tx.db)
}
