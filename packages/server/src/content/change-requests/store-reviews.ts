import { type RawBuilder, sql } from 'kysely'
import { actorJson } from '../../access/authors.ts'
import type { Actor } from '../../access/caller.ts'
import { viaName } from '../../access/via.ts'
import { type AccessSubject, memberJoin, rankAt, rankIn, ruleJoin } from '../../access/visibility.ts'
import { HOLDER } from '../../identity/rights/store-rights.ts'
import { type Db, hasRows, queryRows, queryValue, queryValues } from '../../platform/database/database.ts'
import type { RowFor } from '../../platform/database/rows.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import type { ReviewRules } from '../spaces/schema.ts'
import { holders } from '../spaces/store-readers.ts'
import type { Review, SetCheck, Verdict } from './schema.ts'
import { draftPlaces, isReadable } from './store.ts'

export interface RequestKey {
  readonly spaceId: number
  readonly number: number
}

/** The versions of drafts that a verdict is on, by their ids. */
export type SeenDrafts = Readonly<Record<string, number>>

/** An open draft that the caller can read, with the verdicts on its present version that count. */
export interface ReviewedDraft {
  readonly id: number
  readonly version: number
  readonly address: string
  /** Where the page is now; null: the request creates it. */
  readonly page_path: string | null
  readonly authors: readonly string[]
  /** Those who wrote without an app. */
  readonly direct_authors: readonly string[]
  /** Whether an agent or an app wrote some of it. */
  readonly agent_written: boolean
  /** Whether an author is disabled or gone. */
  readonly author_ended: boolean
  readonly verdicts: readonly {
    readonly id: string
    readonly verdict: Verdict
    readonly inPerson: boolean
    readonly admin: boolean
  }[]
}

/** The present rank of the row `holder` at a path of the row `draft`. */
const holderRank = (path: string) => sql<number>`(select ${rankAt(HOLDER)} from space ${memberJoin(HOLDER)}
  ${ruleJoin(HOLDER, sql.ref(path))} where space.id = draft.space_id)`

/** The open drafts that the caller can read. Who approves is an editor at both addresses now. */
export async function listReviewedDrafts(
  db: Db,
  subject: AccessSubject,
  { spaceId, number }: RequestKey,
): Promise<ReviewedDraft[]> {
  return queryRows<ReviewedDraft>(db)`
    with latest as (
      select distinct on (author_id) author_id, verdict, in_person, seen from request_review
      where space_id = ${spaceId} and number = ${number} and verdict <> 'comment' order by author_id, id desc
    ), holder as materialized (${holders} and id in (select author_id from latest))
    select draft.id, draft.version, place.path as address, page.path as page_path, draft.authors::text[] as authors,
      draft.direct_authors::text[] as direct_authors, draft.agent_written,
      not (draft.authors <@ array(select id from principal
        where id = any(draft.authors) and disabled_at is null)) as author_ended,
      coalesce((select json_agg(json_build_object('id', holder.id, 'verdict', latest.verdict, 'inPerson',
        latest.in_person, 'admin', ${holderRank('place.path')} >= 3))
        from latest join holder on holder.id = latest.author_id
        where (latest.seen ->> draft.id::text)::int = draft.version and ${holderRank('place.path')} >= 2
          and (page.path is null or ${holderRank('page.path')} >= 2)), '[]') as verdicts
    from ${draftPlaces} where draft.space_id = ${spaceId} and draft.number = ${number} and draft.merged_version is null
      and ${isReadable(subject)} order by place.path collate "C", draft.id`
}

export interface ReviewRow extends RowFor<Omit<Review, 'stale'>> {
  readonly seen: SeenDrafts
}

/** The latest reviews of a request, in their order. */
export async function listReviews(db: Db, { spaceId, number }: RequestKey): Promise<ReviewRow[]> {
  return queryRows<ReviewRow>(db)`select * from (
      select review.id, review.verdict, review.body, review.seen, review.created_at,
        json_strip_nulls(json_build_object('id', author.id, 'name', author.name, 'kind', author.kind, 'via',
          ${viaName('review.via')})) as author
      from request_review review join principal author on author.id = review.author_id
      where review.space_id = ${spaceId} and review.number = ${number} order by review.id desc limit 200
    ) latest order by id`
}

/** Adds a review of a locked request, unless a lost attempt has; false: there is no room for it. */
export async function insertReview(
  tx: Pick<Tx, 'db'>,
  { spaceId, number }: RequestKey,
  review: Pick<ReviewRow, 'verdict' | 'body' | 'seen'> & {
    readonly authorId: string
    readonly inPerson: boolean
    readonly now: Date
    readonly max: number
  },
): Promise<boolean> {
  const { authorId, verdict, body, inPerson, seen, now, max } = review
  return hasRows(tx.db)`
    with before as (select count(*) as count,
      coalesce(bool_or(author_id = ${authorId} and created_at = ${now}), false) as is_stored
      from request_review where space_id = ${spaceId} and number = ${number}),
    inserted as (insert into request_review (space_id, number, author_id, verdict, body, in_person, seen, created_at)
      select ${spaceId}, ${number}, ${authorId}, ${verdict}, ${body}, ${inPerson},
        ${JSON.stringify(seen)}::jsonb, ${now}
      from before where count < ${max} and not is_stored returning 1)
    select from before where is_stored or count < ${max}`
}

export interface CheckRow {
  readonly name: string
  readonly status: SetCheck['status']
  readonly details: string
  readonly url: string | null
  readonly seen: SeenDrafts
  readonly updated_at: Date
  readonly updated_by: Actor
}

/** The results that programs have sent of a request, by name. */
export async function listResults(db: Db, { spaceId, number }: RequestKey): Promise<CheckRow[]> {
  return queryRows<CheckRow>(db)`
    select result.name, result.status, result.details, result.url, result.seen, result.updated_at,
      ${actorJson('sender')} as updated_by
    from request_check result join principal sender on sender.id = result.updated_by
    where result.space_id = ${spaceId} and result.number = ${number} order by result.name`
}

/** Stores the result of a check of a locked request; false: it has as many others as it may have. */
export async function putResult(
  tx: Pick<Tx, 'db'>,
  { spaceId, number }: RequestKey,
  result: SetCheck & { readonly seen: SeenDrafts; readonly senderId: string; readonly now: Date; readonly max: number },
): Promise<boolean> {
  const { name, status, details = '', url = null, seen, senderId, now, max } = result
  const { numAffectedRows = 0n } = await sql`
    insert into request_check (space_id, number, name, status, details, url, seen, updated_at, updated_by)
    select ${spaceId}, ${number}, ${name}, ${status}, ${details}, ${url}, ${JSON.stringify(seen)}::jsonb, ${now},
      ${senderId}
    where (select count(*) from request_check where space_id = ${spaceId} and number = ${number}
      and name <> ${name}) < ${max}
    on conflict (space_id, number, name) do update
    set status = excluded.status, details = excluded.details, url = excluded.url,
      seen = excluded.seen, updated_at = excluded.updated_at, updated_by = excluded.updated_by`.execute(tx.db)
  return numAffectedRows > 0n
}

/** Notes the time of a review or a check: what the request changes stays, and so does its ETag. */
export async function noteActivity(tx: Pick<Tx, 'db'>, { spaceId, number }: RequestKey, now: Date): Promise<void> {
  await sql`update change_request set updated_at = ${now} where space_id = ${spaceId}
    and number = ${number}`.execute(tx.db)
}

/** What a merge into a space needs. In a transaction of a merge nobody changes it meanwhile. */
export async function readRules(db: Db, spaceId: number, isMerge: boolean): Promise<Partial<ReviewRules>> {
  const lock: RawBuilder<unknown> = isMerge ? sql`for share` : sql``
  return queryValue<Partial<ReviewRules>>(db, {})`
    select review from space where id = ${spaceId} ${lock}`
}

/** The people and agents of each of some groups, but for disabled ones, and those of some ids who are not. */
export async function listOwners(
  db: Db,
  { principals, groups }: { readonly principals: readonly string[]; readonly groups: readonly string[] },
): Promise<readonly { readonly owner: string; readonly id: string }[]> {
  return queryRows<{ owner: string; id: string }>(db)`
    select listed.owner, principal.id from (
      select id as owner, id from unnest(${principals}::uuid[]) as given (id)
      union all select group_id, principal_id from group_member where group_id = any(${groups}::uuid[])
    ) listed join principal on principal.id = listed.id where principal.disabled_at is null`
}

/** Asks these people and agents for a review. Returns those who cannot read the space, of whom none is asked. */
export async function setReviewers(
  tx: Pick<Tx, 'db'>,
  { spaceId, number }: RequestKey,
  ids: readonly string[],
): Promise<string[]> {
  return queryValues<string>(tx.db)`
    with holder as (${holders} and id = any(${ids}::uuid[])), reader as (
      select holder.id from holder cross join space ${memberJoin(HOLDER)}
      where space.id = ${spaceId} and ${rankIn(HOLDER)} >= 1
    ), removed as (
      delete from request_reviewer where space_id = ${spaceId} and number = ${number}
        and principal_id <> all(${ids}::uuid[])
    ), inserted as (
      insert into request_reviewer (space_id, number, principal_id) select ${spaceId}, ${number}, id
      from reader on conflict do nothing
    )
    select id::text as id from unnest(${ids}::uuid[]) as given (id) where id not in (select id from reader)`
}
