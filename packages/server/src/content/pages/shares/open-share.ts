import type { PageAddress } from '@recto/contract/page-address.ts'
import { isToken } from '@recto/lib/encoding/token.ts'
import type { Caller } from '../../../access/caller.ts'
import { requirePage } from '../../../access/page.ts'
import { hashKey } from '../../../identity/principals/authenticate.ts'
import { autocommit } from '../../../platform/database/database.ts'
import { inSnapshot } from '../../../platform/database/snapshot.ts'
import type { FileState } from '../../links/page-files.ts'
import type { PagesCtx, ServiceRuntime } from '../ctx.ts'
import { type PageRevision, readPage } from '../read.ts'
import { SHARE_PREFIX } from './shares.ts'
import {
  type ActiveShareRow,
  countOpen,
  findActiveShare,
  listOpenPaths,
  listPagesBelow,
  type SharedRoot,
} from './store-shares.ts'

/** The maximum of pages of a link: others below are not shown. */
const MAX_PAGES = 2000

export interface SharedPage {
  readonly path: string
  readonly title: string
}

/** The pages below one that a link can show, and those that it leaves out since a folder rule narrows them. */
export interface PagesBelow {
  readonly below: readonly SharedPage[]
  readonly narrowed: readonly SharedPage[]
}

/** An active link. `ctx` reads at one moment, with the rights of its maker, in its space alone. */
export interface OpenShare<Row extends SharedRoot = ActiveShareRow> {
  readonly row: Row
  readonly ctx: PagesCtx
}

/**
 * Reads by the link of a secret; undefined if there is none, or if it is dead for any reason. All is of one moment:
 * what a rule narrows meanwhile is not read by a right of before.
 */
export async function openShare<T>(
  runtime: ServiceRuntime,
  secret: string,
  work: (share: OpenShare) => Promise<T>,
): Promise<T | undefined> {
  if (!runtime.config.shares || !isToken(SHARE_PREFIX, secret)) return undefined
  return inSnapshot(runtime.db, async (db) => {
    const row = await findActiveShare.first(db, { hash: hashKey(secret), now: runtime.now() })
    return row && work({ row, ctx: { ...runtime, db, actor: toMaker(row) } })
  })
}

/** Reads what a link of a page would show. For who may make one: no link is made. */
export async function previewShare<T>(
  ctx: PagesCtx,
  address: PageAddress,
  work: (preview: OpenShare<SharedRoot> & PagesBelow) => Promise<T>,
): Promise<T> {
  return inSnapshot(ctx.db, async (db) => {
    const own = { ...ctx, db }
    const { spaceId, space, path, title } = await requirePage(own, address, 'organizer')
    const row = { space_id: spaceId, space, path, title }
    const list = (narrowed: boolean) => listPagesBelow(db, ctx.actor, row, { narrowed, limit: MAX_PAGES })
    return work({ row, ctx: own, below: await list(false), narrowed: await list(true) })
  })
}

function toMaker({ maker_id: id, name, kind, role: orgRole, guest, space_id }: ActiveShareRow): Caller {
  return { id, name, kind, orgRole, guest, scope: 'read', spaceIds: [space_id], personal: true, keyId: null }
}

/** The pages of a link, the shared one first. */
export async function listSharedPages({ row, ctx }: OpenShare): Promise<readonly SharedPage[]> {
  const window = { narrowed: false, limit: MAX_PAGES }
  const below = row.with_children ? await listPagesBelow(ctx.db, ctx.actor, row, window) : []
  return [{ path: row.path, title: row.title }, ...below]
}

/** One of the pages of a link, and those of its files that belong to the link. */
export async function readSharedPage(
  { row, ctx }: OpenShare<SharedRoot>,
  { path }: SharedPage,
): Promise<{ readonly revision: PageRevision; readonly files: readonly FileState[] }> {
  const revision = await readPage(ctx, { space: row.space, path, links: true })
  const paths = revision.fileStates.flatMap(([, , file]) => (file?.space === row.space ? [file.path] : []))
  const openPaths = paths.length === 0 ? new Set<string>() : await listOpenPaths(ctx.db, row, paths)
  const files = revision.fileStates.map(
    ([slug, target, file]): FileState =>
      file?.space === row.space && openPaths.has(file.path) ? [slug, target, file] : [slug, target, undefined],
  )
  return { revision, files }
}

export async function countVisit({ db, now }: ServiceRuntime, { id }: ActiveShareRow): Promise<void> {
  await countOpen.all(autocommit(db), { id, now: now() })
}
