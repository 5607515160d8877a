import { type RawBuilder, sql } from 'kysely'
import type { Actor } from '../../../access/caller.ts'
import { hasStatus, type VerifiedRow, verificationColumn } from '../../../access/verification.ts'
import { viaName } from '../../../access/via.ts'
import { type AccessSubject, isVisible } from '../../../access/visibility.ts'
import { type Db, hasRows, queryRow, queryRows } from '../../../platform/database/database.ts'
import type { Tx } from '../../../platform/database/transaction.ts'
import { livePages } from '../../links/store-reports.ts'
import type { LocatedPage } from '../find.ts'
import type { ReportedStatus, VerificationCounts } from './schema.ts'

/** Stores a verification, or that there is none; false if the page or its verification has changed since. */
export async function storeVerification(
  tx: Pick<Tx, 'db'>,
  { space_id: spaceId, page_id: id, path, version: expected, verification: before }: LocatedPage,
  verification: VerifiedRow['verification'],
): Promise<boolean> {
  const { version = null, by, at = null, until = null } = verification ?? {}
  return hasRows(tx.db)`update page set verified_version = ${version}::int, verified_by = ${by?.id ?? null}::uuid,
      verified_at = ${at}::timestamptz, verified_until = ${until}::timestamptz
    where space_id = ${spaceId} and id = ${id} and path = ${path} and version = ${expected} and deleted_at is null
      and verified_at is not distinct from ${before?.at ?? null}::timestamptz returning 1`
}

export interface ReportRow extends VerifiedRow {
  readonly path: string
  readonly title: string
  readonly version: number
  readonly updated_at: Date
  readonly editor: Actor
}

interface ReportArgs {
  readonly spaceId: number
  readonly status: ReportedStatus
  readonly after: string | undefined
  readonly limit: number
  readonly now: Date
}

/**
 * Pages of a space with a status that the caller can read, in the order of their paths. Verified ones are read from
 * their index (`page_verified`), however few they are; the others from some thousand pages (`livePages`).
 */
export async function listByStatus(db: Db, subject: AccessSubject, args: ReportArgs): Promise<ReportRow[]> {
  const { status, limit, now } = args
  const pages =
    status === 'none' || status === 'agents'
      ? sql`(${livePages(subject, args)}) address cross join lateral (
          select * from page where page.space_id = address.space_id and page.id = address.page_id offset 0) page
        where ${status === 'none' ? sql`page.verified_version is null` : isByAgents}`
      : sql`page where ${isVerifiedIn(subject, args.spaceId)} and ${hasStatus(status, now)}
        ${args.after === undefined ? sql`` : sql`and page.path > ${args.after}`}`
  return queryRows<ReportRow>(db)`
    select page.path, page.title, page.version, page.updated_at, page.editor, page.verification from (
      select page.path, page.title, page.version, page.updated_at, ${verificationColumn}, (
        select json_strip_nulls(json_build_object('id', editor.id, 'name', editor.name, 'kind', editor.kind, 'via',
          ${viaName('page.updated_via')}))
        from principal editor where editor.id = page.updated_by) as editor
      from ${pages} order by page.path limit ${limit}
    ) page order by page.path`
}

/** How many pages of a space that the caller can read have each status. */
export async function countByStatus(
  db: Db,
  subject: AccessSubject,
  { spaceId, now }: Pick<ReportArgs, 'spaceId' | 'now'>,
): Promise<VerificationCounts> {
  const count = (status: 'current' | 'changed' | 'expired') =>
    sql`count(*) filter (where ${hasStatus(status, now)})::int as ${sql.ref(status)}`
  const counts = await queryRow<VerificationCounts>(db)`
    select current, changed, expired, other.live - verified.verified as none, other.agents
    from (select ${count('current')}, ${count('changed')}, ${count('expired')}, count(*)::int as verified
      from page where ${isVerifiedIn(subject, spaceId)}) verified
    cross join (select count(*)::int as live, count(*) filter (where ${isByAgents})::int as agents
      from page where page.space_id = ${spaceId} and page.deleted_at is null
        and ${isVisible(subject, 'page.space_id', 'page.path')}) other`
  if (!counts) throw new Error('the statement returns one row')
  return counts
}

function isVerifiedIn(subject: AccessSubject, spaceId: number): RawBuilder<boolean> {
  return sql<boolean>`(page.space_id = ${spaceId} and page.verified_version is not null and page.deleted_at is null
    and ${isVisible(subject, 'page.space_id', 'page.path')})`
}

const agents = sql`(select id from principal where kind = 'agent')`

/** Whether agents and apps wrote all versions of the row `page`: read if the first and last may be theirs. */
const isByAgents = sql<boolean>`((page.created_via is not null or page.created_by in ${agents})
  and (page.updated_via is not null or page.updated_by in ${agents})
  -- Page by page: an anti-join may read all versions of all spaces.
  and (select revision.version from revision where revision.space_id = page.space_id and revision.page_id = page.id
    and revision.via is null and revision.created_by not in ${agents} limit 1) is null)`
