import { type RawBuilder, sql } from 'kysely'
import { queryRow, queryRows, queryValues } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'

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
  const rows = await queryRows(tx.db)`select 1 from unknown_address where slug = ${slug} limit 1`
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
 * Sets the address of the row `link` to `turned.id`: as its key, unless another row of the page has this key, which
 * names the address by another slug. Then its key is one that no other row of the page has (content/links/store.ts).
 */
const isTaken = sql`exists (
  select 1 from link other where other.space_id = link.space_id and other.page_id = link.page_id
    and other.target_id = turned.id
    and other.target_id <> link.target_id)`
const pointsTo = sql`target_id = case when ${isTaken} then -1 - link.ord else turned.id end,
      address_id = case when ${isTaken} then turned.id end`

async function turnLinks(tx: Writing, { id, slug }: NamedSpace): Promise<void> {
  await sql`
    with turned as materialized (
      select link.space_id, link.page_id, link.target_id, address.id
      from unknown_address unknown
      cross join lateral (
        select id from page_address where space_id = ${id} and path = unknown.path offset 0
      ) address
      cross join lateral (
        select space_id, page_id, target_id from link
        where target_space_id is null and coalesce(address_id, target_id) = unknown.id offset 0
      ) link
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

/**
 * The links that lead to a space, as the rows `pointing`, with the paths of their addresses. Those are looked up by
 * their keys: the planner, which may know nothing about a new space yet, would compare each link with each address.
 */
function linksTo(spaceId: number, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`pointing as materialized (
      select link.space_id, link.page_id, link.target_id, link.slug, address.path
      from (select * from link where target_space_id = ${spaceId} and ${condition}) link
      cross join lateral (
        select path from page_address where space_id = ${spaceId}
          and id = coalesce(link.address_id, link.target_id) offset 0
      ) address
    )`
}

/** Moves links by a slug that redirected to the space `from` to the space that has it now. */
export async function retargetSlug(
  tx: Writing,
  { id, slug, from }: NamedSpace & { readonly from: number },
): Promise<void> {
  const links = linksTo(from, sql`slug = ${slug}`)
  await sql`with ${links}
    insert into page_address (space_id, path)
    select distinct ${id}::bigint, path from pointing order by 2
    on conflict (space_id, path) do nothing`.execute(tx.db)
  await sql`
    with ${links}, turned as materialized (
      select pointing.space_id, pointing.page_id, pointing.target_id, target.id
      from pointing cross join lateral (
        select id from page_address where space_id = ${id} and path = pointing.path offset 0
      ) target
    ), known as (
      insert into space_link (space_id, target_space_id)
      select distinct space_id, ${id}::bigint from turned where space_id <> ${id} order by 1
      on conflict do nothing
    )
    update link set target_space_id = ${id}, ${pointsTo} from turned
    where link.space_id = turned.space_id
      and link.page_id = turned.page_id and link.target_id = turned.target_id`.execute(tx.db)
}

/** Detaches the links of other spaces from one that is about to be deleted: they are broken until its slug is used. */
export async function releaseAddresses(
  tx: Writing,
  { id, slug, former }: NamedSpace & { readonly former: readonly string[] },
): Promise<void> {
  await lockSlugs(tx, [slug, ...former])
  await sql`update link set slug = ${slug}
    where target_space_id = ${id} and space_id <> ${id} and slug = ''`.execute(tx.db)
  const links = linksTo(id, sql`space_id <> ${id}`)
  await sql`with ${links}
    insert into unknown_address (slug, path)
    select distinct slug, path from pointing
    order by 1, 2
    on conflict (slug, path) do nothing`.execute(tx.db)
  await sql`with ${links}
    update link set target_space_id = null, target_id = unknown.id, address_id = null
    from pointing cross join lateral (
      select id from unknown_address where slug = pointing.slug and path = pointing.path offset 0
    ) unknown
    where link.space_id = pointing.space_id and link.page_id = pointing.page_id
      and link.target_id = pointing.target_id`.execute(tx.db)
  await sql`delete from space_link where target_space_id = ${id}`.execute(tx.db)
}

/** Gives the space another slug; the former one redirects to it from now on. False: the slug is in use. */
export async function changeSlug(
  tx: Writing,
  space: { readonly id: number; readonly slug: string },
  slug: string,
): Promise<boolean> {
  const rows = await queryRows(tx.db)`update space set slug = ${slug} where id = ${space.id}
    and not exists (select 1 from space where slug = ${slug}) returning id`
  if (rows.length === 0) return false
  await takeSlug(tx, { id: space.id, slug })
  await sql`insert into former_slug (slug, space_id) values (${space.slug}, ${space.id})
    on conflict (slug) do update set space_id = excluded.space_id`.execute(tx.db)
  await sql`update webhook set space_slug = ${slug} where space_slug = ${space.slug}`.execute(tx.db)
  await adoptAddresses(tx, { id: space.id, slug })
  return true
}

/** Deletes the redirect of a slug that a space has now: links by it refer to that space from now on. */
export async function takeSlug(tx: Writing, space: { readonly id: number; readonly slug: string }): Promise<void> {
  const former = await queryRow<{ space_id: number }>(tx.db)`
    delete from former_slug where slug = ${space.slug} returning space_id`
  if (former && former.space_id !== space.id) await retargetSlug(tx, { ...space, from: former.space_id })
}

/** Deletes the former slugs of a space that is about to be deleted, and returns them. */
export async function dropFormerSlugs(tx: Writing, id: number): Promise<string[]> {
  return queryValues<string>(tx.db)`
    delete from former_slug where space_id = ${id} returning slug`
}
