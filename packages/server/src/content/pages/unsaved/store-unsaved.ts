import { sql } from 'kysely'
import type { Caller } from '../../../access/caller.ts'
import { isVisible, memberJoin, rankIn, toAccessSubject } from '../../../access/visibility.ts'
import { type Db, queryRows, read, write } from '../../../platform/database/database.ts'
import type { Tx } from '../../../platform/database/transaction.ts'
import type { Target } from '../favourites/store-favourites.ts'

type OfPrincipal = Target & { readonly principalId: string }

/** Texts are deleted so long after they were kept. */
export const UNSAVED_DAYS = 90
const LIFETIME = sql`interval '${sql.raw(String(UNSAVED_DAYS))} days'`

interface UnsavedRow {
  readonly version: number | null
  readonly body: string
  readonly note: string
  readonly saved_at: Date
}

type NewText = OfPrincipal & Omit<UnsavedRow, 'saved_at'> & { readonly now: Date; readonly max: number }

/** Serialises the texts of one person, so that they are counted. Locks no row that other work needs. */
export async function lockUnsaved(tx: Pick<Tx, 'db'>, principalId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`unsaved ${principalId}`}, 0))`.execute(tx.db)
}

/** Keeps a text; false: the person has `max` others, or the page was deleted or moved at the same time. */
export const saveUnsaved = write(
  'save_unsaved',
  (args: NewText) => sql<{ is_full: boolean; is_stored: boolean }>`
    with known as (
      select count(*) >= ${args.max}::int as is_full from unsaved_text
      where principal_id = ${args.principalId}
        and (space_id <> ${args.spaceId} or page_id is distinct from ${args.pageId}::bigint)
    ), target as (
      select id from page where space_id = ${args.spaceId} and id = ${args.pageId}::bigint
        and deleted_at is null for key share
    ), stored as (
      insert into unsaved_text (space_id, page_id, principal_id, version, body, note, saved_at)
      select ${args.spaceId}::bigint, ${args.pageId}::bigint, ${args.principalId}::uuid, ${args.version}::int,
        ${args.body}::text, ${args.note}::text, ${args.now}::timestamptz from known
      where not is_full and (${args.pageId}::bigint is null or exists (select 1 from target))
      on conflict (space_id, page_id, principal_id) do update
        set version = excluded.version, body = excluded.body, note = excluded.note, saved_at = excluded.saved_at
      returning 1
    )
    select is_full, exists (select 1 from stored) as is_stored from known`,
)

export const deleteUnsaved = write(
  'delete_unsaved',
  (args: OfPrincipal) => sql`
    delete from unsaved_text where space_id = ${args.spaceId} and page_id is not distinct from ${args.pageId}::bigint
      and principal_id = ${args.principalId}`,
)

export const findUnsaved = read(
  'find_unsaved',
  (args: OfPrincipal & { readonly now: Date }) => sql<UnsavedRow>`
    select version, body, note, saved_at from unsaved_text where space_id = ${args.spaceId}
      and page_id is not distinct from ${args.pageId}::bigint and principal_id = ${args.principalId}
      and saved_at > ${args.now}::timestamptz - ${LIFETIME}`,
)

export interface ListedRow {
  readonly space: string
  readonly path: string | null
  readonly title: string | null
  readonly version: number | null
  readonly saved_at: Date
}

/** The texts of the caller in places that they can read and that are not in the trash, the last kept first. */
export async function listUnsaved(db: Db, actor: Caller, now: Date): Promise<ListedRow[]> {
  const subject = toAccessSubject(actor)
  return queryRows<ListedRow>(db)`
    select coalesce(space.slug, 'personal') as space, page.path, page.title, text.version, text.saved_at
    from unsaved_text text join space on space.id = text.space_id ${memberJoin(subject)}
    left join page on page.space_id = text.space_id and page.id = text.page_id and page.deleted_at is null
      and ${isVisible(subject, 'page.space_id', 'page.path')}
    where text.principal_id = ${actor.id} and ${rankIn(subject)} >= 1
      and (text.page_id is null or page.id is not null) and text.saved_at > ${now}::timestamptz - ${LIFETIME}
    order by text.saved_at desc, text.space_id desc, text.page_id desc`
}

/** Deletes some texts after their time; returns how many. */
export const deleteExpiredTexts = write(
  'delete_expired_unsaved',
  (args: { readonly now: Date; readonly limit: number }) => sql<{ deleted: number }>`
    with expired as (
      select ctid from unsaved_text where saved_at <= ${args.now}::timestamptz - ${LIFETIME}
      order by saved_at limit ${args.limit}::int for update skip locked
    ), deleted as (delete from unsaved_text where ctid in (select ctid from expired) returning 1)
    select count(*)::int as deleted from deleted`,
)
