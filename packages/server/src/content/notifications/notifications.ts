import { AppError, inputError } from '@recto/contract/errors.ts'
import type { Ctx } from '../../access/ctx.ts'
import { parseTime } from '../../access/time.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import type { EventsCtx } from '../../events/feed/ctx.ts'
import { autocommit } from '../../platform/database/database.ts'
import { buildPage, type List, type PageQuery, parseWindow } from '../../platform/http/paging.ts'
import type { MailSettings, MarkNotifications, Notification } from './schema.ts'
import {
  countUnread,
  findNotification,
  listNotifications,
  listUnreadOfThreads,
  markNotifications,
  type NotificationRow,
} from './store.ts'
import { REASONS } from './store-fan-out.ts'
import { findMailMode, putMailMode } from './store-mail.ts'
import { toSubject, toSubjectUrl, toTitle } from './subject.ts'

/** The count is not larger. */
const MAX_COUNTED = 100

/** What the caller was told of, the newest first: of everything that they can read now. */
export async function listOwnNotifications(
  ctx: Ctx,
  { unread = false, ...paging }: PageQuery & { readonly unread?: boolean | undefined },
): Promise<List<Notification>> {
  const window = parseWindow(ctx, `notifications/${unread}`, paging, ['time', 'id'])
  const after = window.after as readonly [string, string] | undefined // the shape was checked
  const rows = await listNotifications(ctx.db, toAccessSubject(ctx.actor), { unread, after, limit: window.limit + 1 })
  return buildPage(window, rows, ['at', 'id'], (row) => toNotification(ctx, row))
}

/** How many notifications of the caller are unread. */
export async function countOwnUnread({ db, actor }: Ctx): Promise<{ unread: number }> {
  const row = await countUnread.first(db, { ...toAccessSubject(actor), max: MAX_COUNTED })
  return { unread: row?.unread ?? 0 }
}

/** The ids of the caller's unread notifications about some threads that they read, by the threads. */
export async function findUnreadThreads(
  { db, actor }: Ctx,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = ids.length === 0 ? [] : await listUnreadOfThreads(db, actor.id, ids)
  return new Map(rows.map(({ id, thread_id: thread }) => [thread, id]))
}

/** Marks notifications of the caller; those that there are not are left out. */
export async function markOwnNotifications(
  ctx: EventsCtx,
  { ids, all, before, read }: MarkNotifications,
): Promise<void> {
  if ((ids === undefined) === (all === undefined)) {
    throw inputError('invalid_request', 'Name some notifications by `ids`, or `all` of them.', 'ids', 'or all')
  }
  const now = ctx.now()
  const marking = { ids, before: before === undefined ? now : parseTime(before, '/before'), isRead: read, now }
  await markNotifications(autocommit(ctx.db), toAccessSubject(ctx.actor), marking)
  ctx.events.inboxesChanged([ctx.actor.id])
}

/** How the caller gets mail of notifications. */
export async function readMailSettings({ db, actor }: Ctx): Promise<MailSettings> {
  return { mail: await findMailMode(db, actor.id) }
}

/** Sets it. */
export async function updateMailSettings(ctx: Ctx, { mail }: MailSettings): Promise<MailSettings> {
  await putMailMode(autocommit(ctx.db), ctx.actor.id, mail)
  return { mail }
}

/** A notification of the caller, which is marked as read. */
export async function openNotification(ctx: EventsCtx, id: string): Promise<Notification> {
  const row = await findNotification.first(ctx.db, { ...toAccessSubject(ctx.actor), id })
  if (!row) throw new AppError('not_found', 'There is no such notification of something that you can read.')
  if (row.read_at === null) await markOwnNotifications(ctx, { ids: [id], before: row.at.toISOString(), read: true })
  return toNotification(ctx, row)
}

/** A notification as the API shows it. */
export function toNotification({ config }: Pick<Ctx, 'config'>, row: NotificationRow): Notification {
  const { id, thread_id: thread, page_id: page, file_id: file, kind, actor, events, at, read_at: readAt } = row
  const subjectKind = thread !== null ? 'thread' : page !== null ? 'page' : file !== null ? 'file' : 'changeRequest'
  return {
    id,
    subject: { kind: subjectKind, ...toSubject(row) },
    title: toTitle(row),
    url: toSubjectUrl(config.publicUrl, row),
    reason: REASONS[row.reason - 1] ?? 'watching',
    kind,
    actor,
    events,
    at: at.toISOString(),
    readAt: readAt?.toISOString() ?? null,
  }
}
