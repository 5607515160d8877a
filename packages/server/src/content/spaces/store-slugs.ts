import { sql } from 'kysely'
import { queryRow, queryRows } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import { adoptAddresses, retargetSlug } from './store-addresses.ts'

type Writing = Pick<Tx, 'db'>

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
  const rows = await queryRows<{ slug: string }>(tx.db)`
    delete from former_slug where space_id = ${id} returning slug`
  return rows.map(({ slug }) => slug)
}
