import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../access/caller.ts'
import { viaName } from '../../access/via.ts'
import type { AccessSubject } from '../../access/visibility.ts'
import { type Db, queryRows, queryValue, read, type WriteDb } from '../../platform/database/database.ts'
import type { NotificationKind } from './store-fan-out.ts'
import { isSubjectReadable, subjectJoins } from './store-subjects.ts'

/** What a row is about, as it is now. */
export interface SubjectRow {
  readonly space: string
  readonly page_id: number | null
  readonly file_id: number | null
  readonly thread_id: string | null
  /** Of a change request, or of what a thread is about. */
  readonly number: number | null
  readonly path: string | null
  /** Of the page or the request; null for a file. */
  readonly title: string | null
}

export interface NotificationRow extends SubjectRow {
  readonly id: string
  readonly reason: number
  readonly kind: NotificationKind
  readonly actor: Actor
  readonly events: number
  readonly at: Date
  readonly read_at: Date | null
}

export const subjectColumns = sql`(select coalesce(slug, 'personal') from space where id = item.space_id) as space,
  item.page_id, item.file_id, item.thread_id, request.number, subject.path,
  coalesce(page.title, request.title) as title`

export const notificationColumns = sql`item.id, item.reason, item.kind, item.events, item.at, item.read_at,
  ${subjectColumns},
  (select json_strip_nulls(json_build_object('id', id, 'name', name, 'kind', kind, 'via', ${viaName('item.via')}))
    from principal where id = item.actor_id) as actor`

/** The notifications of a person about what they can read now. */
const readableRows = (
  subject: AccessSubject,
  condition: RawBuilder<unknown>,
) => sql`from notification item ${subjectJoins}
  where item.principal_id = ${subject.principalId} and ${condition} and ${isSubjectReadable(subject)}`

const isUnread = sql<boolean>`item.read_at is null`

export interface NotificationWindow {
  readonly unread: boolean
  readonly after: readonly [at: string, id: string] | undefined
  readonly limit: number
}

/** The newest notifications of a person. */
export async function listNotifications(
  db: Db,
  subject: AccessSubject,
  { unread, after, limit }: NotificationWindow,
): Promise<NotificationRow[]> {
  const condition = sql`${unread ? isUnread : sql`true`}
    ${
      after === undefined
        ? sql``
        : sql`and item.at <= ${after[0]}::timestamptz
          and (item.at < ${after[0]}::timestamptz or item.id > ${after[1]}::uuid)`
    }`
  return queryRows<NotificationRow>(db)`select ${notificationColumns} ${readableRows(subject, condition)}
    order by item.at desc, item.id limit ${limit}`
}

/** A notification of a person by its id. */
export const findNotification = read(
  'find_notification',
  (a: AccessSubject & { id: string }) => sql<NotificationRow>`
    select ${notificationColumns} ${readableRows(a, sql`item.id = ${a.id}::uuid`)}`,
)

/** How many are unread, up to a maximum. */
export const countUnread = read(
  'count_unread_notifications',
  (a: AccessSubject & { max: number }) => sql<{ unread: number }>`
    select count(*)::int as unread from (select ${readableRows(a, isUnread)} limit ${a.max}) unread`,
)

/** The unread notifications of a person about some threads. */
export async function listUnreadOfThreads(
  db: Db,
  principalId: string,
  threadIds: readonly string[],
): Promise<{ readonly id: string; readonly thread_id: string }[]> {
  return queryRows<{ id: string; thread_id: string }>(db)`select id, thread_id from notification
    where principal_id = ${principalId} and thread_id = any(${threadIds}::uuid[]) and read_at is null`
}

export interface Marking {
  /** Absent: all of them. */
  readonly ids: readonly string[] | undefined
  /** Only what happened until then. */
  readonly before: Date
  readonly isRead: boolean
  readonly now: Date
}

/** Marks notifications as read, or as unread. */
export async function markNotifications(
  db: WriteDb,
  subject: AccessSubject,
  { ids, before, isRead, now }: Marking,
): Promise<void> {
  const condition = sql`item.at <= ${before} and item.read_at is ${isRead ? sql`null` : sql`not null`}
    ${ids === undefined ? sql`` : sql`and item.id = any(${ids}::uuid[])`}`
  await sql`update notification set read_at = ${isRead ? now : null}, mail_at = null
    where principal_id = ${subject.principalId} and id in (select item.id ${readableRows(subject, condition)})
      and at <= ${before}`.execute(db)
}

/** Keeps so many notifications of a person, and read ones for so long. */
const MAX_KEPT = 2_000
const READ_DAYS = 90

/** Deletes some notifications that are too old or too many; returns how many. */
export async function deleteOldNotifications(db: WriteDb, now: Date, limit: number): Promise<number> {
  return queryValue(db, 0)`
    with full_inbox as (
      select principal_id from notification group by principal_id having count(*) > ${MAX_KEPT}
    ), old as (
      (select principal_id, id from notification
      where read_at < ${now}::timestamptz - make_interval(days => ${READ_DAYS}) limit ${limit})
      union (select full_inbox.principal_id, surplus.id from full_inbox cross join lateral (
        select id from notification where notification.principal_id = full_inbox.principal_id
        order by at desc, id offset ${MAX_KEPT}) surplus limit ${limit})
    ), deleted as (
      delete from notification using old where notification.principal_id = old.principal_id and notification.id = old.id
      returning 1
    )
    select count(*)::int as count from deleted`
}
