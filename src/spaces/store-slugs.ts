import { sql } from 'kysely'
import type { Db } from '../database/database.ts'
import type { Tx } from '../database/transaction.ts'
import { uuid7 } from '../lib/uuid7.ts'
import { adoptAddresses } from './store-addresses.ts'

type Writing = Pick<Tx, 'db'>

/** Gives the space another slug; the one that it had leads to it from now on. False: the slug is taken. */
export async function changeSlug(
  tx: Writing,
  space: { readonly id: number; readonly slug: string },
  slug: string,
  by: { readonly actorId: string; readonly now: Date },
): Promise<boolean> {
  const { rows } = await sql`update space set slug = ${slug} where id = ${space.id}
    and not exists (select 1 from space where slug = ${slug}) returning id`.execute(tx.db)
  if (rows.length === 0) return false
  await takeSlug(tx, { id: space.id, slug }, by)
  await sql`insert into former_slug (slug, space_id) values (${space.slug}, ${space.id})
    on conflict (slug) do update set space_id = excluded.space_id`.execute(tx.db)
  await sql`update webhook set space_slug = ${slug} where space_slug = ${space.slug}`.execute(tx.db)
  await adoptAddresses(tx, { id: space.id, slug })
  return true
}

/** Ends that a slug leads to another space, once a space has it. Links that named that other one by it are read anew. */
export async function takeSlug(
  tx: Writing,
  space: { readonly id: number; readonly slug: string },
  by: { readonly actorId: string; readonly now: Date },
): Promise<void> {
  const { rows } = await sql<{ space_id: number }>`
    delete from former_slug where slug = ${space.slug} returning space_id`.execute(tx.db)
  if (rows.some((row) => row.space_id !== space.id)) await readLinksAnew(tx, by)
}

/** Ends the former slugs of a space that is about to be deleted. */
export async function dropFormerSlugs(
  tx: Writing,
  id: number,
  by: { readonly actorId: string; readonly now: Date },
): Promise<void> {
  const { rows } = await sql`delete from former_slug where space_id = ${id} returning slug`.execute(tx.db)
  if (rows.length > 0) await readLinksAnew(tx, by)
}

/** Notes a rebuild of all links, which the next look for such work finds. */
async function readLinksAnew(
  tx: Writing,
  { actorId, now }: { readonly actorId: string; readonly now: Date },
): Promise<void> {
  await sql`insert into link_rebuild (id, status, created_at, created_by, lease_until)
    values (${uuid7()}, 'running', ${now}, ${actorId}, '-infinity')
    on conflict (coalesce(space_id, 0)) where status = 'running' do update set at_space_id = 0, at_page_id = 0`.execute(
    tx.db,
  )
}

/** The slug that a space has now, for each of some slugs that it had. */
export async function currentSlugs(
  tx: { readonly db: Db },
  slugs: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ former: string; slug: string }>`
    select f.slug as former, s.slug from former_slug f join space s on s.id = f.space_id
    where f.slug = any(${slugs}::text[])`.execute(tx.db)
  return new Map(rows.map((row) => [row.former, row.slug]))
}
