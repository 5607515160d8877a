import { type RawBuilder, sql } from 'kysely'
import type { EventKind } from '../../events/feed/event.ts'
import { type FeedPosition, isSettledAfter } from '../../events/feed/store-changes.ts'
import { HOLDER } from '../../identity/rights/store-rights.ts'
import { read, write } from '../../platform/database/database.ts'
import { isChangeReadable } from '../comments/store-threads.ts'
import { holders } from '../spaces/store-readers.ts'
import { isPlaceReadable, isThere, subjectJoins } from './store-subjects.ts'

/** Why somebody is told of an event, the strongest reason first: rows have its place in this list, from 1. */
export const REASONS = ['mention', 'reviewer', 'author', 'thread', 'author', 'watching', 'verifier'] as const
const [MENTION, REVIEWER, PROPOSER, THREAD, AUTHOR, WATCHING, VERIFIER] = [
  sql`1`,
  sql`2`,
  sql`3`,
  sql`4`,
  sql`5`,
  sql`6`,
  sql`7`,
]

/** The kind of a notification that no event caused. */
export const DUE = 'verification.due'
export type NotificationKind = EventKind | typeof DUE

/** Who wrote one of so many last versions is told of the next ones, and who wrote the first. */
export const VERSIONS = sql`100`

/** The rows `recipient`: whom a row `item` concerns, why, since when, and from which reason on they have muted it. */
const recipients = sql`
  select item.i, mentioned.id as principal_id, ${MENTION} as reason, null::int as mute, batch.at as since
  from item join batch on batch.i = item.i cross join lateral unnest(batch.mentions) mentioned (id)
  where mentioned.id <> batch.actor_id and (item.page_id is null or not exists (select from notification known
    where known.space_id = item.space_id and known.page_id = item.page_id and known.principal_id = mentioned.id
      and known.mentioned))
  union all select item.i, asked.principal_id, ${REVIEWER}, null, '-infinity' from item
    join request_reviewer asked on asked.space_id = item.space_id and asked.number = item.at_number
  union all select item.i, review.author_id, ${REVIEWER}, null, review.created_at from item
    join request_review review on review.space_id = item.space_id and review.number = item.at_number
  union all select item.i, request.author_id, ${PROPOSER}, null, '-infinity' from item
    join change_request request on request.space_id = item.space_id and request.number = item.at_number
  union all select item.i, thread.author_id, ${THREAD}, null, thread.created_at from item
    join thread on thread.space_id = item.space_id and thread.id = item.thread_id
  union all select item.i, comment.author_id, ${THREAD}, null, comment.created_at from item
    join comment on comment.space_id = item.space_id and comment.thread_id = item.thread_id
  union all select item.i, writer.created_by, ${AUTHOR}, null, writer.created_at from item cross join lateral (
      select created_by, created_at from page where space_id = item.space_id and id = item.at_page
      union all select created_by, created_at from file where space_id = item.space_id and id = item.at_file
      union all (select created_by, created_at from revision where space_id = item.space_id and page_id = item.at_page
        order by version desc limit ${VERSIONS})
      union all (select created_by, created_at from file_version
        where space_id = item.space_id and file_id = item.at_file order by version desc limit ${VERSIONS})
    ) writer
  union all select item.i, watched.principal_id,
      case when watched.muted then null when watched.thread_id is null then ${WATCHING} else ${THREAD} end,
      case when watched.muted then case when watched.thread_id is null then ${AUTHOR} else ${REVIEWER} end end,
      case when not watched.muted then watched.created_at end
    from item cross join lateral (
      select * from watch where space_id = item.space_id and page_id = item.at_page
      union all select * from watch where space_id = item.space_id and file_id = item.at_file
      union all select * from watch where space_id = item.space_id and thread_id = item.thread_id
      union all select * from watch where space_id = item.space_id and page_id is null and file_id is null
        and thread_id is null
        and (prefix is null or prefix = any(path_prefixes(item.path)))
    ) watched`

/** When somebody is mailed, by what they have chosen: soon, with others of that time, or in the morning. */
export function mailTime(mode: RawBuilder<unknown>): RawBuilder<Date | null> {
  return sql<Date | null>`case coalesce(${mode}, 'daily') when 'immediate' then now() + interval '3 seconds'
    when 'daily' then (date_trunc('day',
      now() at time zone 'UTC' + interval '17 hours') + interval '7 hours') at time zone 'UTC' end`
}

/** So long nobody is mailed of the same page again. */
const MAIL_REST = sql`interval '10 minutes'`

/**
 * Tells people of the next events after the cursor, and moves the cursor, as one statement: what it finds for whom is
 * in their inbox once, whatever crashes. A cursor that another node has moved since makes it change nothing.
 *
 * `batch` has the events that the inbox tells of, with the number `i` of what they are about. `item` is that as it is
 * now, and `act` what one person or agent did to it. `recipient` has everybody whom it concerns, each with the
 * strongest reason and the time since when it does; who does not read the place of an act (`reader`), or did it, is not
 * told. Plan: by keys, row by row.
 */
export const fanOut = write(
  'notify_of_events',
  (a: FeedPosition & { limit: number; mails: boolean }) => sql<{
    events: number
    /** The ids of the people who were told. */
    notified: readonly string[]
    /** Whether there are events that an older transaction may precede. */
    is_held_back: boolean
  }>`
    with horizon as materialized (select feed_horizon() as id),
    settled as materialized (
      select event.*, row_number() over (order by event.transaction_id, event.seq) as n from event, horizon
      where ${isSettledAfter(a, sql`horizon.id`)} order by event.transaction_id, event.seq limit ${a.limit}
    ), batch as materialized (
      select numbered.*, dense_rank() over (order by space_id, page_id, file_id, thread_id, number) as i from (
        select n, space_id, kind, at, actor_id, via, mentions, thread_id,
          case when thread_id is null then page_id end as page_id, case
          when thread_id is null then file_id end as file_id,
          case when kind like 'changeRequest.%' then (data ->> 'number')::int end as number,
          case when kind like 'changeRequest.%' then data ->> 'path' end as path
        from settled where kind not like 'space.%' and kind not like '%.deleted'
      ) numbered
    ), item as materialized (
      select item.i, item.space_id, item.page_id, item.file_id, item.thread_id, item.number,
        page.id as at_page, file.id as at_file, request.number as at_number, subject.path, thread.draft_id
      from (select distinct i, space_id, page_id, file_id, thread_id, number, null as path
        from batch) item ${subjectJoins}
      where ${isThere}
    ), act as materialized (
      select i, actor_id, path, array_agg(at) as times, min(at) as first_at, max(n) as n, max(at) as at from batch
      group by i, actor_id, path
    ), recipient as materialized (
      select i, principal_id, min(reason) as reason, min(since) as since from (${recipients}) recipient
      group by i, principal_id having min(reason) < coalesce(min(mute), 99)
    ), holder as materialized (
      select * from (${holders}) holder where kind = 'human' and id in (select principal_id from recipient)
    ), reader as materialized (
      select place.i, place.path, recipient.principal_id, recipient.reason, recipient.since
      from (select distinct i, path from act) place join item on item.i = place.i
      join recipient on recipient.i = place.i join holder on holder.id = recipient.principal_id
      left join thread on thread.space_id = item.space_id and thread.id = item.thread_id and thread.draft_id is not null
      where ${isPlaceReadable(HOLDER, sql`coalesce(item.path, place.path)`)} and ${isChangeReadable(HOLDER)}
    ), told as materialized (
      select reader.i, reader.principal_id, reader.reason, max(act.n) as n,
        sum(case when act.first_at >= reader.since then cardinality(act.times)
          else (select count(*) from unnest(act.times) time where time >= reader.since) end)::int as events
      from reader join act on act.i = reader.i and act.path is not distinct from reader.path
      where act.actor_id <> reader.principal_id and act.at >= reader.since
      group by reader.i, reader.principal_id, reader.reason
    ), moved as (
      update notification_cursor set transaction_id = last.transaction_id, seq = last.seq
      from (select transaction_id, seq from settled order by n desc limit 1) last
      -- It is counted first: a transaction that has written something keeps the feed waiting (feed_horizon).
      where (select count(*) from told) >= 0
        and notification_cursor.transaction_id = ${a.transactionId}::xid8 and notification_cursor.seq = ${a.seq}::bigint
      returning 1
    ), put as (
      insert into notification as known (principal_id, space_id, page_id, file_id, thread_id, number, path, reason,
        kind, actor_id, via, at, events, mentioned, mail_at)
      select told.principal_id, item.space_id, item.page_id, item.file_id, item.thread_id, item.number, batch.path,
        told.reason,
        batch.kind, batch.actor_id, batch.via, batch.at, told.events, told.reason = ${MENTION},
        case when ${a.mails}::boolean then (select ${mailTime(sql`setting.mail`)} from principal
          left join person_setting setting on setting.principal_id = principal.id
          where principal.id = told.principal_id and principal.email is not null) end
      from told join item on item.i = told.i join batch on batch.n = told.n where exists (select from moved)
      order by item.space_id, item.page_id, told.principal_id
      on conflict (space_id, page_id, file_id, thread_id, number, principal_id) do update set
        path = excluded.path, kind = excluded.kind, actor_id = excluded.actor_id, via = excluded.via, at = excluded.at,
        reason = case when known.read_at is null then least(known.reason, excluded.reason) else excluded.reason end,
        events = excluded.events + case when known.read_at is null then known.events else 0 end,
        mentioned = known.mentioned or excluded.mentioned, read_at = null, mail_tries = 0,
        -- It stays as it is, unless a mail is under way, which does not tell of this.
        mail_at = case when excluded.mail_at is null or known.mail_at is not null
          and known.mail_tries = 0 then known.mail_at
          when known.thread_id is null then greatest(excluded.mail_at, known.mailed_at + ${MAIL_REST})
          else excluded.mail_at end
      returning principal_id
    )
    select (select count(*)::int from settled) as events,
      array(select distinct principal_id::text from put) as notified,
      exists (select from event, horizon where event.transaction_id >= horizon.id) as is_held_back`,
)

/**
 * Tells of verifications that have ended since the last time, and moves that time, as one statement; who does not read
 * the page any more finds nothing in the inbox.
 */
export const tellDue = write(
  'notify_of_due_verifications',
  (a: { readonly mails: boolean }) => sql<{ notified: readonly string[] }>`
    with moved as materialized (
      update notification_cursor set due_at = now() from (select due_at from notification_cursor) before
      returning before.due_at as since
    ), put as (
      insert into notification as known (principal_id, space_id, page_id, reason, kind, actor_id, at, events, mentioned,
        mail_at)
      select page.verified_by, page.space_id, page.id, ${VERIFIER}, ${DUE}, page.verified_by, page.verified_until,
        1, false,
        case when ${a.mails}::boolean and principal.email is not null then ${mailTime(sql`setting.mail`)} end
      from moved cross join lateral (
        select * from page where verified_until > moved.since and verified_until <= now() and deleted_at is null
      ) page
      join principal on principal.id = page.verified_by and principal.disabled_at is null
      left join person_setting setting on setting.principal_id = principal.id
      order by page.space_id, page.id
      on conflict (space_id, page_id, file_id, thread_id, number, principal_id) do update set
        kind = excluded.kind, actor_id = excluded.actor_id, via = null, at = excluded.at,
        reason = case when known.read_at is null then least(known.reason, excluded.reason) else excluded.reason end,
        events = 1 + case when known.read_at is null then known.events else 0 end, read_at = null, mail_tries = 0,
        mail_at = coalesce(known.mail_at, excluded.mail_at)
      returning principal_id
    )
    select array(select distinct principal_id::text from put) as notified`,
)

/** The last event that people were told of. */
export const readCursor = read(
  'read_notification_cursor',
  (_: object) => sql<FeedPosition>`select transaction_id::text as "transactionId", seq from notification_cursor`,
)
