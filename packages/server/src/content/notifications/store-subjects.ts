import { type RawBuilder, sql } from 'kysely'
import { type AccessSubject, memberJoin, rankAt, rankIn, ruleJoin } from '../../access/visibility.ts'
import { isChangeReadable } from '../comments/store-threads.ts'

/**
 * What the row `item` is about, as it is now: a page, a file, a thread, or a change request (`space_id`, and one of
 * `page_id`, `file_id`, `thread_id` and `number`). The rows `page`, `file` and `request` are also what a thread is
 * about.
 * `item.path` is the path of a change, whose readers alone may know of it.
 */
export const subjectJoins = sql`left join thread on thread.space_id = item.space_id and thread.id = item.thread_id
  left join page on page.space_id = item.space_id and page.id = coalesce(item.page_id, thread.page_id)
  left join file on file.space_id = item.space_id and file.id = coalesce(item.file_id, thread.file_id)
  left join change_request request on request.space_id = item.space_id
    and request.number = coalesce(item.number, thread.number)
  cross join lateral (select coalesce(page.path, file.path, thread.path, item.path) as path) subject`

/** Whether there still is what the row `item` is about, and not in the trash. */
export const isThere = sql<boolean>`(num_nonnulls(page.id, file.id, request.number) = 1
  and coalesce(page.deleted_at, file.deleted_at) is null)`

/** Whether somebody reads the space of the row `item`, and a path of it, if there is one. */
export function isPlaceReadable(subject: AccessSubject, path: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`coalesce((select
    case when ${path} is null then ${rankIn(subject)} else ${rankAt(subject)} end >= 1
    from space ${memberJoin(subject)} ${ruleJoin(subject, path)} where space.id = item.space_id), false)`
}

/** Whether somebody can read what the row `item` is about now (`subjectJoins`). */
export function isSubjectReadable(subject: AccessSubject): RawBuilder<boolean> {
  return sql<boolean>`(${isThere} and ${isPlaceReadable(subject, sql`subject.path`)} and ${isChangeReadable(subject)})`
}
