import { type RawBuilder, sql } from 'kysely'
import { actorJson } from '../../../access/authors.ts'
import type { Caller, OrgRole, PrincipalKind } from '../../../access/caller.ts'
import { isAsOpenAs, isVisible, memberJoin, rankAt, ruleJoin, toAccessSubject } from '../../../access/visibility.ts'
import { HOLDER } from '../../../identity/rights/store-rights.ts'
import type { Keyset } from '../../../platform/database/conditions.ts'
import { type Db, queryRow, queryRows, read, write } from '../../../platform/database/database.ts'
import type { RowFor } from '../../../platform/database/rows.ts'
import type { Tx } from '../../../platform/database/transaction.ts'
import { holders } from '../../spaces/store-readers.ts'
import type { Share } from './schema.ts'

export interface ShareRow extends RowFor<Share> {
  readonly space_id: number
}

/** The row `share` with its space and page, the row `maker`, and the rank that `maker` has at the page now. */
const shares = sql`from share_link share join space on space.id = share.space_id
    join page on page.space_id = share.space_id and page.id = share.page_id
    join principal maker on maker.id = share.created_by
    left join lateral (
      select ${rankAt(HOLDER)} as rank from (${holders} and id = share.created_by) holder
      cross join space ${memberJoin(HOLDER)} ${ruleJoin(HOLDER, sql`page.path`)} where space.id = share.space_id
    ) maker_access on true`

/** Why a link is dead; `active`: it is not. */
const state = (now: Date) => sql<Share['state']>`case
      when share.revoked_at is not null then 'revoked'
      when share.expires_at <= ${now}::timestamptz then 'expired'
      when page.deleted_at is not null then 'trashed'
      when not space.shares then 'off'
      when coalesce(maker_access.rank, 0) < 1 then 'no-access'
      else 'active' end`

const columns = (now: Date) => sql`share.id, share.space_id, coalesce(space.slug, 'personal') as space, page.path,
    page.title, share.with_children, share.created_at, ${actorJson('maker')} as created_by, share.expires_at,
    share.password_hash is not null as has_password, share.opens, share.last_opened_at, ${state(now)} as state`

/** A link by its id, whoever asks. */
export async function findShare(db: Db, id: string, now: Date): Promise<ShareRow | undefined> {
  return queryRow<ShareRow>(db)`select ${columns(now)} ${shares} where share.id = ${id}`
}

/**
 * The links of a space, or of one page of it: all of them for its admins, their own for others; the newest first, by
 * their ids, whose index ends the work at the limit.
 */
export async function listShares(
  db: Db,
  actor: Caller,
  list: Keyset & {
    readonly spaceId: number
    readonly pageId: number | undefined
    readonly isAdmin: boolean
    readonly now: Date
  },
): Promise<ShareRow[]> {
  const { spaceId, pageId, isAdmin, now, after, limit } = list
  const conditions: RawBuilder<unknown>[] = [
    sql`share.space_id = ${spaceId}`,
    isVisible(toAccessSubject(actor), 'page.space_id', 'page.path'),
    ...(pageId === undefined ? [] : [sql`share.page_id = ${pageId}`]),
    ...(isAdmin ? [] : [sql`share.created_by = ${actor.id}`]),
    ...(after === undefined ? [] : [sql`share.id < ${after}::uuid`]),
  ]
  return queryRows<ShareRow>(db)`select ${columns(now)} ${shares} where ${sql.join(conditions, sql` and `)}
    order by share.id desc limit ${limit}`
}

export interface NewShare {
  readonly id: string
  readonly hash: Buffer
  readonly spaceId: number
  readonly pageId: number
  readonly withChildren: boolean
  readonly passwordHash: string | null
  readonly creatorId: string
  readonly expiresAt: Date | null
  readonly now: Date
}

/** Whether the page is still there, and its space still allows links: then the link is stored. */
export async function insertShare(tx: Pick<Tx, 'db'>, share: NewShare): Promise<boolean> {
  const { rows } = await sql`
    insert into share_link (id, hash, space_id, page_id, with_children, password_hash, created_by, created_at,
      expires_at)
    select ${share.id}, ${share.hash}, page.space_id, page.id, ${share.withChildren}, ${share.passwordHash},
      ${share.creatorId}, ${share.now}, ${share.expiresAt}::timestamptz
    from page join space on space.id = page.space_id
    where page.space_id = ${share.spaceId} and page.id = ${share.pageId} and page.deleted_at is null and space.shares
    for key share
    on conflict (space_id, id) do update set id = excluded.id returning 1`.execute(tx.db)
  return rows.length > 0
}

/** Revokes a link; false if it was before. */
export async function revokeById(tx: Pick<Tx, 'db'>, id: string, now: Date): Promise<boolean> {
  const { rows } = await sql`update share_link set revoked_at = ${now}
    where id = ${id} and revoked_at is null returning 1`.execute(tx.db)
  return rows.length > 0
}

/** An active link, with what its maker may do. */
export interface ActiveShareRow {
  readonly id: string
  readonly space_id: number
  readonly space: string
  readonly path: string
  readonly title: string
  readonly with_children: boolean
  readonly password_hash: string | null
  readonly maker_id: string
  readonly name: string
  readonly kind: PrincipalKind
  readonly role: OrgRole
  readonly guest: boolean
}

/** The link of a hash if it is active. The access of its maker is decided in the same statement. */
export const findActiveShare = read(
  'find_active_share',
  (a: { readonly hash: Buffer; readonly now: Date }) => sql<ActiveShareRow>`
    select share.id, share.space_id, coalesce(space.slug, 'personal') as space, page.path, page.title,
      share.with_children, share.password_hash, maker.id as maker_id, maker.name, maker.kind, maker.role, maker.guest
    ${shares} where share.hash = ${a.hash} and ${state(a.now)} = 'active'`,
)

/** A page that is shared, or would be. */
export type SharedRoot = Pick<ActiveShareRow, 'space_id' | 'space' | 'path' | 'title'>

/** The pages below a shared one that its maker can read, but for those that a rule below narrows; or only these. */
export async function listPagesBelow(
  db: Db,
  maker: Caller,
  { space_id: spaceId, path }: SharedRoot,
  { narrowed, limit }: { readonly narrowed: boolean; readonly limit: number },
) {
  const isOpen = isAsOpenAs(path, spaceId, 'address.space_id', 'address.path')
  return queryRows<{ readonly path: string; readonly title: string }>(db)`
    select page.path, page.title from page_address address
    cross join lateral (select * from page where page.space_id = address.space_id
      and page.id = address.page_id offset 0) page
    where address.space_id = ${spaceId} and address.page_id is not null
      and address.path > ${path} || '/' and address.path < ${path} || '0'
      and ${isVisible(toAccessSubject(maker), 'address.space_id', 'address.path')}
      and ${narrowed ? sql`not ${isOpen}` : isOpen}
    order by address.path limit ${limit}`
}

/** Those of some paths that no rule narrows which leaves the shared page as it is. */
export async function listOpenPaths(db: Db, { space_id: spaceId, path }: SharedRoot, paths: readonly string[]) {
  const { rows } = await sql<{ readonly path: string }>`
    select given.path from unnest(${paths}::text[]) as given (path) join space on space.id = ${spaceId}
    where ${isAsOpenAs(path, spaceId, 'space.id', 'given.path')}`.execute(db)
  return new Set(rows.map((row) => row.path))
}

export const countOpen = write(
  'count_share_open',
  (a: { readonly id: string; readonly now: Date }) => sql`
    update share_link set opens = opens + 1, last_opened_at = ${a.now}::timestamptz where id = ${a.id}`,
)
