import { AppError } from '@recto/contract/errors.ts'
import { sourceDiff } from '@recto/markdown/diff/source-diff.ts'
import { unifiedDiff } from '@recto/markdown/diff/unified-diff.ts'
import { toEditor } from '../../access/authors.ts'
import { isRestored } from '../../access/overlay.ts'
import type { Resource } from '../../access/resource.ts'
import { readPlaces, type ShownPlaces } from '../../access/shown-places.ts'
import { listDrafts } from '../../access/store-drafts.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { autocommit } from '../../platform/database/database.ts'
import { listFileUsers } from '../files/store-uses.ts'
import { hasOtherLinks, listChangedSources, listShownLinks } from '../links/shown-links.ts'
import type { LinkTargetRow } from '../links/store-read.ts'
import { listLinksTo } from '../links/store-reports.ts'
import { readMetadata } from '../metadata/metadata.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { readPage } from '../pages/read.ts'
import { listMissing, MAX_PATHS, readChecks, readReviews } from './assess.ts'
import { planChanges, type RequestSpace } from './plan-changes.ts'
import { compareBytes } from './plan-file.ts'
import { movedFrom, planChange, readDraftBody, toKind } from './plan-merge.ts'
import { type RequestAddress, requireDrafts, requireRequest, toChangeRequest } from './requests.ts'
import type { ChangedPage, Check, MergeConflict, WholeRequest } from './schema.ts'
import { type ChangeRow, listChanges } from './store.ts'
import { addSources, listSources, type Source } from './store-sources.ts'

/** A change request with the conflicts of what the caller can read of it. */
export async function readChangeRequest(ctx: PagesCtx, address: RequestAddress): Promise<WholeRequest> {
  const { space, row } = await requireRequest(ctx, address)
  const key = { spaceId: space.id, number: row.number }
  const changes = row.state === 'closed' ? [] : await listChanges(ctx.db, toAccessSubject(ctx.actor), key)
  const open = changes.filter(({ merged_version }) => merged_version === null)
  // Whoever merged it may not have read all of it.
  const isOpen = row.state === 'open' || open.length > 0
  const plans = await planChanges(ctx, space, open)
  const conflicts = plans.flatMap((plan) => plan.conflicts)
  const [assessment, breakingPaths, basedOn] = await Promise.all([
    isOpen ? readChecks(ctx, key) : undefined,
    isOpen ? listBreakingPages(ctx, space, row.number) : [],
    listSources(ctx.db, toAccessSubject(ctx.actor), key),
  ])
  const checks = assessment ? [toConflictCheck(conflicts), ...assessment.checks, toLinkCheck(breakingPaths)] : []
  const mergeable = isOpen && listMissing(checks).length === 0
  const reviews = await readReviews(ctx, key, assessment?.drafts ?? [])
  return { ...toChangeRequest(ctx, row), mergeable, conflicts, reviews, checks, basedOn }
}

/** Names the pages that the caller has read as sources of their own request; of others it has none. */
export async function noteSources(ctx: PagesCtx, address: RequestAddress, sources: Source[]) {
  if (sources.length === 0) return
  const { space, row } = await requireRequest(ctx, address)
  await addSources(autocommit(ctx.db), { spaceId: space.id, number: row.number }, ctx.actor.id, sources)
}

function toConflictCheck(conflicts: readonly MergeConflict[]): Check {
  const paths = [...new Set(conflicts.map(({ path }) => path))]
  const status = paths.length > 0 ? 'failed' : 'passed'
  return { name: 'conflicts', status, required: true, details: '', ...(paths.length > 0 && { paths }) }
}

/** Broken links do not hinder a merge. */
function toLinkCheck(pages: readonly string[]): Check {
  if (pages.length === 0) return { name: 'links', status: 'passed', required: false, details: '' }
  const details =
    pages.length === 1 ? 'Links in 1 page would lead nowhere.' : `Links in ${pages.length} pages would lead nowhere.`
  return { name: 'links', status: 'failed', required: false, details, paths: pages.slice(0, MAX_PATHS) }
}

/** The changed pages that the caller can read, in the order of their paths. */
export async function readChanges(ctx: PagesCtx, address: RequestAddress): Promise<{ readonly items: ChangedPage[] }> {
  const { space, row } = await requireDrafts(ctx, address)
  const rows = await listChanges(ctx.db, toAccessSubject(ctx.actor), { spaceId: space.id, number: row.number })
  return { items: rows.map(toChangedPage) }
}

/** What a request changes in one page or file. */
export async function readDiff(
  ctx: PagesCtx,
  { path, resource, ...address }: RequestAddress & { readonly path: string; readonly resource?: Resource },
) {
  const { space, row } = await requireDrafts(ctx, address)
  const at = { spaceId: space.id, number: row.number, path }
  const changesHere = await listChanges(ctx.db, toAccessSubject(ctx.actor), at)
  const change = changesHere.find((each) => resource === undefined || each.resource === resource)
  if (!change) throw new AppError('not_found', `The change request has no change of \`${path}\` that you can read.`)
  const page = { space: space.slug, path: change.page_path ?? path }
  if (change.resource === 'file')
    return { ...toChangedPage(change), diff: '', metadata: await compareBytes(ctx, page, change) }
  const base =
    change.base_version === null || isRestored(change)
      ? ''
      : await readText(ctx, { ...page, version: change.base_version })
  const draft = change.is_deleted ? '' : ((await readDraftBody(change))?.toString('utf8') ?? base)
  const { operations } = await planChange(ctx, space.slug, change)
  const values = change.operations.length > 0 && change.page_id !== null ? (await readMetadata(ctx, page)).metadata : {}
  const draftCtx = { ...ctx, overlay: address }
  const after = change.operations.length > 0 ? (await readMetadata(draftCtx, { space: space.slug, path })).metadata : {}
  return {
    ...toChangedPage(change),
    diff: base === draft ? '' : unifiedDiff(sourceDiff(base, draft), [path, path]),
    metadata: operations.map(({ key }) => ({ key, before: values[key], after: after[key] })),
  }
}

async function readText(ctx: PagesCtx, at: { space: string; path: string; version: number }): Promise<string> {
  return (await readPage(ctx, at)).content.body.toString('utf8')
}

function toChangedPage(change: ChangeRow): ChangedPage {
  return {
    path: change.address,
    resource: change.resource,
    kind: toKind(change),
    movedFrom: movedFrom(change),
    title: change.title ?? (change.page_title || change.address),
    baseVersion: change.base_version,
    draftVersion: change.version,
    note: change.note,
    metadataKeys: [...new Set(change.operations.map(({ key }) => key))],
    updatedAt: change.updated_at.toISOString(),
    updatedBy: toEditor(change),
    mergedVersion: change.merged_version,
  }
}

const AS_THEY_ARE: ShownPlaces = { drafts: [], arrivals: new Map(), present: new Map() }
const FROM_START = { afterPath: '', afterOrd: 0, limit: 5_000 }
/** Pages that refer to one deleted file. */
const MAX_USERS = 100

/**
 * The pages in which the merge of a request breaks links, as far as the caller can read: those with links to what it
 * deletes, and changed ones with links that lead nowhere only in their drafts.
 */
async function listBreakingPages(ctx: PagesCtx, space: RequestSpace, number: number): Promise<string[]> {
  const [subject, { id: spaceId, slug }] = [toAccessSubject(ctx.actor), space]
  const overlaidCtx = { ...ctx, overlay: { space: slug, number } }
  const places = await readPlaces(overlaidCtx, spaceId, true)
  const files = await listDrafts(ctx.db, subject, { spaceId, number, resource: 'file' })
  const isLeft = (path: string | null) => !files.some((other) => !other.is_deleted && other.path === path)
  const deletedFiles = files.filter((file) => file.is_deleted && isLeft(file.page_path))
  const deletedPaths = new Set(deletedFiles.map((file) => file.page_path))
  const pageIds = places.drafts.flatMap((draft) => (draft.is_deleted ? (draft.page_id ?? []) : []))
  const ids = deletedFiles.flatMap((file) => file.file_id ?? [])
  const sources = await listChangedSources(overlaidCtx, space, places)
  const unchanged = sources.map(({ page_id }) => ({ page_id }))
  const [presentSources, links, users] = await Promise.all([
    listShownLinks(ctx, space, AS_THEY_ARE, unchanged),
    listLinksTo(ctx.db, subject, { ...FROM_START, spaceId, pageIds, taken: [...places.arrivals.keys()] }),
    ids.length > 0 ? listFileUsers(ctx.db, subject, { spaceId, ids, limit: MAX_USERS }) : [],
  ])
  const changedPaths = sources.flatMap(({ path, draft, links }, index) => {
    const before = new Set(presentSources[index]?.links.flatMap(toBroken))
    const references = (draft.file_links ?? []) as readonly { slug: string; path: string }[] // of its body
    const usesDeleted = references.some((file) => file.slug === '' && deletedPaths.has(file.path))
    return usesDeleted || links.flatMap(toBroken).some((target) => !before.has(target)) ? [path] : []
  })
  const linkingPaths = links.map(({ source_path }) => source_path)
  const userPaths = users.flatMap((user) => (user.space === slug ? user.path : []))
  const otherPaths = [...linkingPaths, ...userPaths].filter((path) => !hasOtherLinks(places.present.get(path)))
  return [...new Set([...changedPaths, ...otherPaths])].sort()
}

/** The target of a link that leads nowhere. */
function toBroken({ exists, maybe_file, now_space, now_path }: LinkTargetRow): string[] {
  return exists === false && !maybe_file ? [`${now_space}/${now_path}`] : []
}
