import { AppError } from '@recto/contract/errors.ts'
import { counted } from '@recto/lib/text/counted.ts'
import { sourceDiff } from '@recto/markdown/diff/source-diff.ts'
import { unifiedDiff } from '@recto/markdown/diff/unified-diff.ts'
import { toEditor } from '../../access/authors.ts'
import { isRestored } from '../../access/overlay.ts'
import type { Resource } from '../../access/resource.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { autocommit } from '../../platform/database/transaction.ts'
import { readMetadata } from '../metadata/metadata.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { readPage } from '../pages/read.ts'
import { listMissing, MAX_PATHS, readChecks, readReviews } from './assess.ts'
import { listBreakingPages } from './breaking-links.ts'
import { planChanges } from './plan-changes.ts'
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
  const details = `Links in ${counted(pages.length, 'page')} would lead nowhere.`
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
