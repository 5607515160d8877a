import { sql } from 'kysely'
import type { Caller } from '../../../access/caller.ts'
import { pageIcon } from '../../../access/page.ts'
import { isVisible, memberJoin, rankIn, toAccessSubject } from '../../../access/visibility.ts'
import { type Db, queryRows, read, write } from '../../../platform/database/database.ts'

/** A page, or a space: then `pageId` is null. */
export interface Target {
  readonly spaceId: number
  readonly pageId: number | null
}

type OfPrincipal = Target & { readonly principalId: string }

/** Adds a favourite; returns whether the caller has `max` already. A page that is deleted meanwhile is not added. */
export const addFavourite = write(
  'add_favourite',
  (args: OfPrincipal & { now: Date; max: number }) => sql<{ is_full: boolean }>`
    with known as (
      select count(*) >= ${args.max}::int
        and not coalesce(bool_or(space_id = ${args.spaceId} and page_id is not distinct from ${args.pageId}::bigint),
          false) as is_full
      from favourite where principal_id = ${args.principalId}
    ), target as (
      select id from page where space_id = ${args.spaceId} and id = ${args.pageId}::bigint
        and deleted_at is null for key share
    ), added as (
      insert into favourite (space_id, page_id, principal_id, created_at)
      select ${args.spaceId}::bigint, ${args.pageId}::bigint, ${args.principalId}::uuid, ${args.now}::timestamptz
      from known
      where not is_full and (${args.pageId}::bigint is null or exists (select 1 from target))
      on conflict do nothing
    )
    select is_full from known`,
)

export const removeFavourite = write(
  'remove_favourite',
  (args: OfPrincipal) => sql`
    delete from favourite where space_id = ${args.spaceId} and page_id is not distinct from ${args.pageId}::bigint
      and principal_id = ${args.principalId}`,
)

export const findFavourite = read(
  'find_favourite',
  (args: OfPrincipal) => sql<{ found: number }>`
    select 1 as found from favourite where space_id = ${args.spaceId} and page_id is not distinct
    from ${args.pageId}::bigint
      and principal_id = ${args.principalId}`,
)

export interface FavouriteRow {
  readonly space_id: number
  /** 0 for a space. */
  readonly page_id: number
  readonly space: string
  readonly space_name: string
  readonly path: string | null
  readonly title: string | null
  readonly icon: string | null
  readonly space_icon: string | null
  readonly created_at: Date
}

/** A position in the list. */
export type FavouritePosition = readonly [time: string, spaceId: number, pageId: number]

/** The favourites of the caller that they can read and that are not in the trash, the last added first. */
export async function listFavourites(
  db: Db,
  actor: Caller,
  window: { readonly after: FavouritePosition | undefined; readonly limit: number },
): Promise<FavouriteRow[]> {
  const subject = toAccessSubject(actor)
  const [time, spaceId, pageId] = window.after ?? []
  const isAfter =
    time === undefined
      ? sql``
      : sql`and (favourite.created_at, favourite.space_id, coalesce(favourite.page_id, 0)) < (${time}::timestamptz,
        ${spaceId}::bigint, ${pageId}::bigint)`
  return queryRows<FavouriteRow>(db)`
    select favourite.space_id, coalesce(favourite.page_id, 0) as page_id, coalesce(space.slug, 'personal') as space,
      space.name as space_name, space.icon as space_icon, page.path, page.title, ${pageIcon} as icon,
      favourite.created_at
    from favourite join space on space.id = favourite.space_id ${memberJoin(subject)}
    left join page on page.space_id = favourite.space_id and page.id = favourite.page_id and page.deleted_at is null
      and ${isVisible(subject, 'page.space_id', 'page.path')}
    where favourite.principal_id = ${actor.id} and ${rankIn(subject)} >= 1
      and (favourite.page_id is null or page.id is not null) ${isAfter}
    order by favourite.created_at desc, favourite.space_id desc, coalesce(favourite.page_id, 0) desc
    limit ${window.limit}`
}
