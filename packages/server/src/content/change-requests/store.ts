import { type RawBuilder, sql } from 'kysely'
import { actorJson } from '../../access/authors.ts'
import { type DraftRow, draftColumns, draftJoins } from '../../access/store-drafts.ts'
import { type AccessSubject, isReadableAt, visibleSpaces } from '../../access/visibility.ts'
import { type Db, queryRow, queryRows, queryValue, write } from '../../platform/database/database.ts'
import type { RowFor } from '../../platform/database/rows.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import type { ChangeRequest, RequestState } from './schema.ts'

export interface RequestRow extends RowFor<Omit<ChangeRequest, 'etag' | 'url'>> {
  readonly space_id: number
  readonly drafts_deleted: boolean
  /** Counts all changes, also those that the caller cannot read: it is for locks alone. */
  readonly version: number
  /** Identifies what the caller can read of it. */
  readonly tag: number
  /** When the request was changed but for its drafts: lists are in this order, which tells nothing of them. */
  readonly sorted_at: Date
}

/** Whether the page or file of the row `draft` is in the space, if it has one. */
const isHere = sql`((draft.page_id is null
  or exists (select from page where page.space_id = draft.space_id and page.id = draft.page_id))
  and (draft.file_id is null or exists (select from file where file.space_id = draft.space_id
    and file.id = draft.file_id)))`

/**
 * The row `draft` with its page, and with `place`: where it is in the request. Both addresses decide who can read it
 * (`isReadable`). What has left the space is read by nobody.
 */
export const draftPlaces = sql`draft ${draftJoins}
  cross join lateral (select draft.space_id, coalesce(draft.path, page.path) as path) place`

export const isReadable = (subject: AccessSubject) => sql<boolean>`(place.path is not null and ${isHere}
  and ${isReadableAt(subject, 'place.space_id', 'place.path')}
  and (page.path is null or ${isReadableAt(subject, 'page.space_id', 'page.path')}))`

/** The drafts of the row `request` that the caller can read. */
const ofRequest = (subject: AccessSubject) => sql`${draftPlaces}
  where draft.space_id = request.space_id and draft.number = request.number and ${isReadable(subject)}`

const requestColumns = sql`request.space_id, coalesce(space.slug, 'personal') as space, request.number,
  request.title, request.description, request.state, request.drafts_deleted, request.version,
  ${actorJson('author')} as author, request.created_at, request.updated_at as sorted_at,
  coalesce((select json_agg(${actorJson('reviewer')} order by lower(reviewer.name), reviewer.id)
    from request_reviewer asked
    join principal reviewer on reviewer.id = asked.principal_id
    where asked.space_id = request.space_id and asked.number = request.number), '[]') as reviewers,
  greatest(request.updated_at, shown.updated_at) as updated_at, shown.changes,
  (('x' || left(md5(concat_ws(chr(10), request.title, request.description, request.state, shown.state,
    (select string_agg(principal_id::text, ' ' order by principal_id) from request_reviewer asked
      where asked.space_id = request.space_id and asked.number = request.number))),
        8))::bit(32)::bigint & 2147483647)::int as tag`

const requestJoins = (
  subject: AccessSubject,
) => sql`join space on space.id = request.space_id join principal author on author.id = request.author_id
  cross join lateral (select count(*)::int as changes, max(draft.updated_at) as updated_at,
    string_agg(concat_ws(' ', draft.id, draft.version, draft.merged_version, place.path), chr(10)
      order by draft.id) as state
    from ${ofRequest(subject)}) shown`

export async function findRequest(db: Db, subject: AccessSubject, spaceId: number, number: number) {
  return queryRow<RequestRow>(db)`select ${requestColumns} from change_request request ${requestJoins(subject)}
    where request.space_id = ${spaceId} and request.number = ${number}`
}

export async function countOpen(db: Db, spaceId: number): Promise<number> {
  return queryValue(db, 0)`select count(*)::int as count from change_request
    where space_id = ${spaceId} and state = 'open'`
}

export interface RequestFilters {
  /** Null: all spaces that the caller can read. */
  readonly spaceId: number | null
  readonly state: RequestState | undefined
  readonly authorId: string | undefined
  readonly reviewerId: string | undefined
  readonly path: string | undefined
  readonly after: readonly [at: string, spaceId: number, number: number] | undefined
  readonly limit: number
}

/** Change requests, latest change first. */
export async function listRequests(db: Db, subject: AccessSubject, filters: RequestFilters): Promise<RequestRow[]> {
  const { spaceId, state, authorId, reviewerId, path, after, limit } = filters
  const spaces: RawBuilder<unknown> = spaceId === null ? visibleSpaces(subject) : sql`(select ${spaceId}::bigint)`
  return queryRows<RequestRow>(db)`select ${requestColumns} from (select request.* from change_request request
    where request.space_id in ${spaces}
      ${state === undefined ? sql`` : sql`and request.state = ${state}`}
      ${authorId === undefined ? sql`` : sql`and request.author_id::text = ${authorId}`}
      ${
        reviewerId === undefined
          ? sql``
          : sql`and exists (select from request_reviewer asked where asked.space_id = request.space_id
            and asked.number = request.number and asked.principal_id::text = ${reviewerId})`
      }
      ${path === undefined ? sql`` : sql`and exists (select from ${ofRequest(subject)} and place.path = ${path})`}
      ${
        after === undefined
          ? sql``
          : sql`and (request.updated_at, request.space_id, request.number) < (${after[0]}::timestamptz, ${after[1]},
            ${after[2]})`
      }
    order by request.updated_at desc, request.space_id desc, request.number desc
      limit ${limit}) request ${requestJoins(subject)}
    order by request.updated_at desc, request.space_id desc, request.number desc`
}

/** A draft that the caller can read, with its page as it is now. */
export interface ChangeRow extends DraftRow {
  readonly address: string
  readonly page_version: number | null
  readonly page_deleted: boolean
  /** Whether its author has seen the present values of what it changes. */
  readonly is_resolved?: true
}

/** The changes of a request that the caller can read, in the order of their addresses. */
export async function listChanges(
  db: Db,
  subject: AccessSubject,
  { spaceId, number, path }: { readonly spaceId: number; readonly number: number; readonly path?: string },
): Promise<ChangeRow[]> {
  return queryRows<ChangeRow>(db)`
    select ${draftColumns()}, place.path as address, page.version as page_version,
      page.deleted_at is not null as page_deleted
    from ${draftPlaces}
    where draft.space_id = ${spaceId} and draft.number = ${number} and ${isReadable(subject)}
      ${path === undefined ? sql`` : sql`and place.path = ${path}`}
    order by place.path collate "C", draft.id`
}

/** Changes what a request says of itself. */
export async function updateRequest(
  tx: Pick<Tx, 'db'>,
  { spaceId, number }: Pick<RequestKey, 'spaceId' | 'number'>,
  change: { readonly title?: string; readonly description?: string; readonly now: Date },
): Promise<void> {
  await sql`update change_request set title = coalesce(${change.title ?? null}, title),
      description = coalesce(${change.description ?? null}, description), version = version + 1,
      updated_at = ${change.now}
    where space_id = ${spaceId} and number = ${number}`.execute(tx.db)
}

interface RequestKey {
  readonly spaceId: number
  readonly number: number
}

/** Ends a request, or opens it again. */
export async function setState(
  tx: Pick<Tx, 'db'>,
  { spaceId, number }: RequestKey,
  { state, actorId, now }: { readonly state: RequestState; readonly actorId: string; readonly now: Date },
): Promise<void> {
  const hasEnded = state !== 'open'
  await sql`update change_request set state = ${state}, version = version + 1, updated_at = ${now},
      ended_at = ${hasEnded ? now : null}, ended_by = ${hasEnded ? actorId : null}
    where space_id = ${spaceId} and number = ${number}`.execute(tx.db)
}

/** Deletes a request of which nothing is merged; false: something is. */
export async function deleteRequest(tx: Pick<Tx, 'db'>, { spaceId, number }: RequestKey): Promise<boolean> {
  const { numAffectedRows = 0n } =
    await sql`delete from change_request where space_id = ${spaceId} and number = ${number} and not drafts_deleted
    and not exists (select from draft where draft.space_id = ${spaceId} and draft.number = ${number}
    and merged_version is not null)`.execute(tx.db)
  return numAffectedRows > 0n
}

/** Deletes the drafts of some requests that ended 90 days ago; what was merged is in the history of its pages. */
export const deleteEndedDrafts = write(
  'delete_ended_drafts',
  (a: { now: Date; limit: number }) => sql<{ requests: number }>`
    with ended as (
      update change_request set drafts_deleted = true where (space_id, number) in (
        select space_id, number from change_request
        where state <> 'open' and not drafts_deleted and ended_at < ${a.now}::timestamptz - interval '90 days'
        order by ended_at limit ${a.limit} for update skip locked)
      returning space_id, number
    ), deleted as (
      delete from draft using ended where draft.space_id = ended.space_id and draft.number = ended.number
    )
    select count(*)::int as requests from ended`,
)

export interface MergedChange {
  readonly draftId: number
  /** Of the page or file. */
  readonly id: number
  readonly version: number
  /** The version with the body or bytes of the draft; null: it changed none. */
  readonly revision: number | null
}

/** Notes what was merged: the author of each revision is who wrote the draft last; who merged it is noted, too. */
export async function noteMerged(
  tx: Pick<Tx, 'db'>,
  { spaceId, number }: RequestKey,
  { mergedBy, changes }: { readonly mergedBy: string; readonly changes: readonly MergedChange[] },
): Promise<void> {
  const rows = JSON.stringify(
    changes.map(({ draftId, id, version, revision }) => ({ draft_id: draftId, id, version, revision })),
  )
  await sql`
    with given as (
      select given.*, draft.updated_by, draft.updated_via, draft.authors,
        draft.base_path is null and draft.base_version is null as is_new,
        case draft.resource when 'page' then given.id end as page_id, case draft.resource
        when 'file' then given.id end as file_id
      from jsonb_to_recordset(${rows}::jsonb) as given (draft_id bigint, id bigint, version int, revision int)
      join draft on draft.space_id = ${spaceId} and draft.number = ${number} and draft.id = given.draft_id
    ), noted as (
      update draft set merged_version = given.version, page_id = given.page_id, file_id = given.file_id from given
      where draft.space_id = ${spaceId} and draft.number = ${number} and draft.id = given.draft_id
    ), revised as (
      update revision set created_by = given.updated_by, via = given.updated_via from given
      where revision.space_id = ${spaceId} and revision.page_id = given.page_id and revision.version = given.revision
    ), authored as (
      update page set updated_by = given.updated_by, updated_via = given.updated_via,
        created_by = case when given.is_new then given.updated_by else page.created_by end
      from given where given.revision is not null and page.space_id = ${spaceId} and page.id = given.page_id
    ), file_revised as (
      update file_version set created_by = given.updated_by, via = given.updated_via from given
      where file_version.space_id = ${spaceId} and file_version.file_id = given.file_id
        and file_version.version = given.revision
    ), file_authored as (
      update file set created_by = given.updated_by, created_via = given.updated_via from given
      where given.is_new and file.space_id = ${spaceId} and file.id = given.file_id
    )
    insert into merged_revision (space_id, page_id, version, request_space_id, number, merged_by, authors)
    select ${spaceId}, page_id, revision, ${spaceId}, ${number}, ${mergedBy}, authors from given
    where revision is not null and page_id is not null`.execute(tx.db)
}
