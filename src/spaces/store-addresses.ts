import { sql } from 'kysely'
import type { Tx } from '../database/transaction.ts'

type Writing = Pick<Tx, 'db'>

interface NamedSpace {
  readonly id: number
  readonly slug: string
}

/** Locks slugs that no space has, or will not have: against whoever links to them, makes such a space or ends one. */
export async function lockSlugs(tx: Writing, slugs: readonly string[]): Promise<void> {
  await sql`insert into unknown_space (slug)
    select slug collate "C" from unnest(${slugs}::text[]) as t (slug) order by 1
    on conflict (slug) do update set slug = excluded.slug`.execute(tx.db)
}

/**
 * Gives a space that has got this slug the addresses that links to the slug wanted: from now on those links are links
 * to the space. To be called in the transaction that makes the space or changes its slug.
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

/** A space that changed its slug may have some of the addresses already: a page that linked to both has one link then. */
async function turnLinks(tx: Writing, { id, slug }: NamedSpace): Promise<void> {
  await sql`
    with turned as materialized (
      select l.space_id, l.page_id, l.target_id, a.id, o.page_id is not null as twice
      from unknown_address u
      join page_address a on a.space_id = ${id} and a.path = u.path
      join link l on l.target_space_id is null and l.target_id = u.id
      left join link o on o.space_id = l.space_id and o.page_id = l.page_id and o.target_id = a.id and a.id <> u.id
      where u.slug = ${slug}
    ), gone as (
      delete from link l using turned t
      where t.twice and l.space_id = t.space_id and l.page_id = t.page_id and l.target_id = t.target_id
    ), known as (
      insert into space_link (space_id, target_space_id)
      select distinct space_id, ${id}::bigint from turned where space_id <> ${id} order by 1
      on conflict do nothing
    )
    update link l set target_space_id = ${id}, target_id = t.id from turned t
    where not t.twice and l.space_id = t.space_id and l.page_id = t.page_id and l.target_id = t.target_id`.execute(
    tx.db,
  )
}

/**
 * Lets the links of other spaces to this one, which is about to be deleted, go on by its slug: they are broken until
 * there is such a space again.
 */
export async function releaseAddresses(tx: Writing, { id, slug }: NamedSpace): Promise<void> {
  await lockSlugs(tx, [slug])
  await sql`insert into unknown_address (slug, path, id)
    select ${slug}, a.path, a.id from page_address a
    where a.space_id = ${id} and exists (
      select 1 from link l where l.target_space_id = ${id} and l.target_id = a.id and l.space_id <> ${id})
    order by 1, 2
    on conflict (slug, path) do nothing`.execute(tx.db)
  await sql`update link set target_space_id = null where target_space_id = ${id} and space_id <> ${id}`.execute(
    tx.db,
  )
  await sql`delete from space_link where target_space_id = ${id}`.execute(tx.db)
}
