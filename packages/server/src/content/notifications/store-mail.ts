import { sql } from 'kysely'
import { HOLDER } from '../../identity/rights/store-rights.ts'
import { type Db, queryRows, queryValue, type WriteDb } from '../../platform/database/database.ts'
import { holders } from '../spaces/store-readers.ts'
import { type NotificationRow, notificationColumns } from './store.ts'
import { mailTime } from './store-fan-out.ts'
import { isSubjectReadable, subjectJoins } from './store-subjects.ts'

export const MAIL_MODES = ['immediate', 'daily', 'off'] as const
export type MailMode = (typeof MAIL_MODES)[number]

/** A notification whose time to be mailed has come. */
export interface MailRow extends NotificationRow {
  readonly principal_id: string
  readonly space_id: number
  readonly email: string
  readonly mail: MailMode
  /** The language that the person has chosen. */
  readonly language: string | null
  /** Until when this node has it. */
  readonly mail_at: Date
  readonly mail_tries: number
  /** Whether the person can read what it is about now, and has not read it. */
  readonly is_due: boolean
}

const MAX_TRIES = 5
/** How long a node has to send what it claimed; after that another one does. */
const LEASE = sql`interval '5 minutes'`

/**
 * Claims what is to be mailed to some people, all of each, unless another node does (`skip locked`). What has been
 * tried too often is given up. Who reads what is asked now, in this statement.
 */
export async function claimMails(db: WriteDb, people: number): Promise<MailRow[]> {
  return queryRows<MailRow>(db)`
    with person as materialized (
      select distinct principal_id from (select principal_id from notification where mail_at <= now() order by mail_at
        limit ${people}) due
    ), due as materialized (
      select notification.space_id, notification.id, principal_id from person join notification using (principal_id)
      where mail_at <= now() order by notification.space_id, notification.id for update of notification skip locked
    ), item as (
      update notification set mail_at =
      case when mail_tries < ${MAX_TRIES} then now() + ${LEASE} end, mail_tries = mail_tries + 1
      from due where notification.space_id = due.space_id and notification.id = due.id returning notification.*
    ), holder as materialized (select * from (${holders}) holder where id in (select principal_id from person))
    select ${notificationColumns}, item.principal_id, item.space_id, item.mail_at, item.mail_tries, principal.email,
      coalesce(setting.mail, 'daily') as mail, setting.language,
      item.read_at is null and principal.email is not null and holder.id is not null
        and ${isSubjectReadable(HOLDER)} as is_due
    from item ${subjectJoins} join principal on principal.id = item.principal_id
    left join holder on holder.id = item.principal_id left
    join person_setting setting on setting.principal_id = item.principal_id
    where item.mail_at is not null order by item.principal_id, item.at desc, item.id`
}

/** Ends the claim of rows: they were mailed, or are tried again later. What a newer event has changed stays. */
export async function endClaims(
  db: WriteDb,
  rows: readonly Pick<MailRow, 'space_id' | 'id' | 'mail_at'>[],
  isDone: boolean,
): Promise<void> {
  const claims = JSON.stringify(rows.map(({ space_id, id, mail_at }) => ({ space_id, id, mail_at })))
  await sql`update notification set mailed_at = ${isDone ? sql`now()` : sql`mailed_at`},
      mail_at = ${isDone ? sql`null` : sql`now() + interval '1 minute' * 4 ^ notification.mail_tries`}
    from jsonb_to_recordset(${claims}::jsonb) as claim (space_id bigint, id uuid, mail_at timestamptz)
    where notification.space_id = claim.space_id and notification.id = claim.id
      and notification.mail_at = claim.mail_at`.execute(db)
}

/** How a person is mailed. */
export async function findMailMode(db: Db, principalId: string): Promise<MailMode> {
  return queryValue<MailMode>(db, 'daily')`
    select mail from person_setting where principal_id = ${principalId}`
}

/** Sets how a person is mailed, also of what they have not been mailed of yet. */
export async function putMailMode(db: WriteDb, principalId: string, mode: MailMode): Promise<void> {
  await sql`with put as (
      insert into person_setting (principal_id, mail) select id, ${mode} from principal where id = ${principalId}
      on conflict (principal_id) do update set mail = excluded.mail
    )
    update notification set mail_at = ${mailTime(sql`${mode}::text`)}
    where principal_id = ${principalId} and mail_at is not null and mail_tries = 0`.execute(db)
}
