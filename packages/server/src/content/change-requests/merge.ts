import { AppError, inputError, retryLater } from '@recto/contract/errors.ts'
import { KeyedQueue } from '@recto/lib/concurrency/keyed-queue.ts'
import { packBody } from '@recto/lib/encoding/body-codec.ts'
import { Lru } from '@recto/lib/lru.ts'
import { isInPerson } from '../../access/caller.ts'
import { type CurrentVersion, checkPreconditions, type Preconditions } from '../../access/preconditions.ts'
import type { Resource } from '../../access/resource.ts'
import { closed } from '../../access/save-draft.ts'
import { requirePaths, type SpaceAccess, toNeededPlaces } from '../../access/space.ts'
import { lockRequest, touchRequest } from '../../access/store-drafts.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { withNeededRoles } from '../../identity/rights/reauthorization.ts'
import { withLongStatements } from '../../platform/database/connections/request-scope.ts'
import { type Tx, unlessOvertaken } from '../../platform/database/transaction.ts'
import { moveToTrash } from '../lifecycle/delete.ts'
import { moveTogether } from '../lifecycle/move.ts'
import type { MoveOutcome, NewBody } from '../lifecycle/move-order.ts'
import { restorePage } from '../lifecycle/restore.ts'
import { lockLive } from '../lifecycle/store-move-rows.ts'
import { patchMetadata } from '../metadata/metadata.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { findPage } from '../pages/find.ts'
import { writePage } from '../pages/write.ts'
import { listMissing, readChecks } from './assess.ts'
import { createFile, listMovingFiles, writeFiles } from './merge-files.ts'
import { listRequired, planChanges } from './plan-changes.ts'
import { toResource } from './plan-file.ts'
import { movedFrom, type PlannedChange, toKind } from './plan-merge.ts'
import * as requests from './requests.ts'
import type { ChangeRequest, Check, Merge } from './schema.ts'
import * as store from './store.ts'

/** Attempts to merge, since others may write its pages meanwhile. */
const MAX_ROUNDS = 8

interface MergedPage {
  readonly path: string
  readonly resource?: 'file'
  readonly kind: PlannedChange['kind']
  readonly version: number
}

export type MergeOutcome = ChangeRequest & { readonly merged: MergedPage[]; readonly left: MoveOutcome['left'] }

/**
 * Merges a change request, or its changes of some pages: each by a three-way merge onto the present version, all in one
 * transaction, or nothing. For editors at every address. Repeated after a success, it returns the same revisions.
 */
export async function mergeRequest(
  ctx: PagesCtx,
  address: requests.RequestAddress,
  { paths, note, preconditions }: Merge & { readonly preconditions: Preconditions },
): Promise<MergeOutcome> {
  for (let round = 1; ; round++) {
    const request = await requests.requireDrafts(ctx, address)
    const { space, row } = request
    const changes = await store.listChanges(ctx.db, toAccessSubject(ctx.actor), {
      spaceId: space.id,
      number: row.number,
    })
    const open = changes.filter(({ merged_version }) => merged_version === null)
    if (row.state === 'merged' && open.length === 0) {
      return { ...requests.toChangeRequest(ctx, row), merged: listMerged(changes), left: [] }
    }
    if (row.state === 'closed') throw closed(row.number, row.state)
    checkPreconditions(requests.toCurrentRequest(ctx, row), preconditions, 'change request')
    const pickedChanges = pickOpen(open, paths)
    const requires = listRequired(pickedChanges, open)
    if (requires.length > 0) throw mergeIncomplete(requires)
    const rankedPaths = await requirePaths(
      ctx,
      space,
      pickedChanges.map(({ address: path }) => path),
      'organizer',
    )
    const plans = await planChanges(ctx, space, pickedChanges, open)
    const conflicts = plans.flatMap((plan) => plan.conflicts)
    if (conflicts.length > 0) throw mergeConflict(conflicts)
    // What the merger cannot read does not keep it open: that would tell of it. Those who can read it can still merge
    // it.
    const isWhole = row.state === 'open' && plans.length === open.length
    const mergeCtx = withNeededRoles(ctx, toNeededPlaces(space, rankedPaths, 'organizer'))
    const apply = () => unlessOvertaken(mergeCtx, (tx) => applyMerge(tx, request, plans, { note, isWhole }))
    const outcome = await withLongStatements(apply).catch(unlessOccupied)
    if (outcome) return outcome
    if (round === MAX_ROUNDS) {
      throw retryLater('page_busy', 'The pages are being written all the time. Try again shortly.', 1)
    }
  }
}

/** The open changes, or those of some pages. */
export function pickOpen(
  open: readonly store.ChangeRow[],
  paths: readonly string[] | undefined,
): readonly store.ChangeRow[] {
  const pickedChanges = paths ? open.filter(({ address }) => paths.includes(address)) : open
  const unknown = paths?.find((path) => !open.some(({ address }) => address === path))
  if (unknown !== undefined) {
    throw inputError(
      'invalid_request',
      `The change request has no open change of \`${unknown}\`.`,
      '/paths',
      'names a page without a change',
    )
  }
  if (pickedChanges.length > 0) return pickedChanges
  throw new AppError(
    'invalid_request',
    'There is nothing to merge: the change request has no open change that you can read.',
  )
}

function listMerged(changes: readonly store.ChangeRow[]): MergedPage[] {
  return changes.flatMap((change) =>
    change.merged_version === null
      ? []
      : [{ path: change.address, ...toResource(change), kind: toKind(change), version: change.merged_version }],
  )
}

/** One attempt; undefined, with nothing changed, where the request or a page was changed since it was planned. */
async function applyMerge(
  tx: PagesCtx & Tx,
  { space, row }: requests.KnownRequest,
  plans: readonly PlannedChange[],
  { note, isWhole }: { readonly note: string | undefined; readonly isWhole: boolean },
): Promise<MergeOutcome | undefined> {
  const key = { spaceId: space.id, number: row.number }
  const lockedRequest = await lockRequest.first(tx.db, key)
  if (lockedRequest?.version !== row.version) return tx.noChange()
  const lock = async (resource: Resource) => {
    const ids = plans.flatMap(({ change }) => change[`${resource}_id`] ?? [])
    const rows = await lockLive(
      tx,
      resource,
      ids.map((id) => ({ spaceId: space.id, id })),
    )
    return new Map(rows.map(({ id, version }) => [id, version]))
  }
  const versions = { page: await lock('page'), file: await lock('file') }
  const { checks, inPerson } = await readChecks(tx, key, {
    changes: plans.map(({ change }) => change.id),
    isMerge: true,
  })
  if (inPerson && !isInPerson(tx.actor)) throw notInPerson(space.slug)
  const missing = listMissing(checks)
  if (missing.length > 0) throw mergeBlocked(missing)
  const isCurrent = ({ change, version }: PlannedChange) =>
    version === (versions[change.resource].get(change[`${change.resource}_id`] ?? -1) ?? null)
  if (!plans.every(isCurrent)) return tx.noChange()
  const ctx = withinTransaction(tx)
  const leftLinks: MoveOutcome['left'] = []
  const mergedChanges = await writeChanges(ctx, space, plans, { note, leftLinks })
  await store.noteMerged(tx, key, { mergedBy: tx.actor.id, changes: mergedChanges })
  if (isWhole) await store.setState(tx, key, { state: 'merged', actorId: tx.actor.id, now: tx.now() })
  else await touchRequest.enqueue(tx.db, key)
  if (isWhole) await tx.tellOfRequest(tx, key, 'merged')
  const versionsByDraft = new Map(mergedChanges.map(({ draftId, version }) => [draftId, version]))
  const outcome = {
    ...(await requests.readRequest(tx, key.spaceId, key.number)),
    merged: plans.map(({ change, path, kind }) => {
      return { path, ...toResource(change), kind, version: versionsByDraft.get(change.id) ?? 0 }
    }),
    left: leftLinks,
  }
  await tx.saveIdempotentResult(outcome)
  return outcome
}

/**
 * Makes the changes. A page or file may be created, or moved to, where another one is deleted or moves away; bodies are
 * written with the moves, so that each page gets one revision.
 */
async function writeChanges(
  ctx: PagesCtx,
  space: SpaceAccess,
  plans: readonly PlannedChange[],
  { note, leftLinks }: { readonly note: string | undefined; readonly leftLinks: MoveOutcome['left'] },
): Promise<store.MergedChange[]> {
  const [pages, files] = [plans.filter(isPage), plans.filter((plan) => !isPage(plan))]
  const present = pages.filter(({ kind, version }) => kind !== 'created' && version !== null)
  for (const plan of present) await deleteOrPatch(ctx, space.slug, plan)
  const staying = present.filter(({ kind }) => kind !== 'deleted')
  const movedPlans = staying.filter(({ change }) => movedFrom(change) !== null)
  const paths = new Map(movedPlans.map(({ from, path }) => [from, path]))
  const bodies = new Map<string, NewBody>()
  for (const { from, change, body } of staying) {
    if (body) bodies.set(from, { data: await packBody(body), note: change.note ?? note ?? null })
  }
  const writtenVersions = await writeFiles(ctx, space.slug, files)
  const movingFiles = listMovingFiles(files, writtenVersions)
  const versions = await moveTogether(ctx, space, { paths, bodies, files: movingFiles }, leftLinks)
  const mergedChanges: store.MergedChange[] = []
  for (const plan of pages) {
    const merge = { created: mergeCreation, restored: mergeRestore }[plan.kind as string] // undefined for others
    mergedChanges.push(merge ? await merge(ctx, space.slug, plan, note) : toMergedPage(plan, versions.pages))
  }
  for (const plan of files) {
    const isNew = plan.kind === 'created' || plan.kind === 'restored'
    const { change, version } = plan
    const [id, revision = null] = [change.file_id ?? 0, writtenVersions.get(change.id)]
    const present = { draftId: change.id, id, version: versions.files.get(id) ?? revision ?? version ?? 0, revision }
    mergedChanges.push(isNew ? await createFile(ctx, space.slug, plan) : present)
  }
  return mergedChanges
}

const isPage = ({ change }: PlannedChange) => change.resource === 'page'

function toMergedPage({ change, version, body }: PlannedChange, versions: ReadonlyMap<number, number>) {
  const id = change.page_id ?? 0
  const mergedVersion = versions.get(id) ?? version ?? 0
  return { draftId: change.id, id, version: mergedVersion, revision: body ? mergedVersion : null }
}

async function deleteOrPatch(ctx: PagesCtx, space: string, { kind, from: path, version, operations }: PlannedChange) {
  if (version === null) return
  const preconditions = { ifMatch: [version], ifNoneMatch: undefined, required: true }
  if (kind === 'deleted') await moveToTrash(ctx, 'page', { space, path, preconditions })
  else if (operations.length > 0) await patchMetadata(ctx, { space, path, operations })
}

async function mergeCreation(
  ctx: PagesCtx,
  space: string,
  { change, path, body = Buffer.alloc(0), operations: metadata }: PlannedChange,
  note: string | undefined,
): Promise<store.MergedChange> {
  // There must be no page: one would need `If-Match`.
  const preconditions = { ifMatch: undefined, ifNoneMatch: undefined, required: true }
  const writtenPage = await writePage(ctx, {
    ...{ space, path, body, note: change.note ?? note, preconditions },
    ...(metadata.length > 0 && { metadata }),
  })
  const { page_id: id } = await findPage(ctx, { space, path }, 'editor')
  const { version } = writtenPage.page
  return { draftId: change.id, id, version, revision: version }
}

/** Restores a page from the trash; one with another text in the request gets it as a further revision. */
async function mergeRestore(
  ctx: PagesCtx,
  space: string,
  { change, path, body, operations }: PlannedChange,
  note: string | undefined,
): Promise<store.MergedChange> {
  const restoredPage = await restorePage(ctx, { space, path, trashedVersion: change.base_version })
  const preconditions = { ifMatch: [restoredPage.version], ifNoneMatch: undefined, required: true }
  if (operations.length > 0) await patchMetadata(ctx, { space, path, operations })
  const write = body && { space, path, body, note: change.note ?? note, preconditions }
  const { version } = write ? (await writePage(ctx, write)).page : restoredPage
  const { page_id: id } = await findPage(ctx, { space, path }, 'editor')
  return { draftId: change.id, id, version, revision: version }
}

/**
 * The context of use cases inside a transaction that holds the locks of their pages: they wait for no writer of this
 * process, who may wait for these, and leave nothing behind before the commit. It needs no review.
 */
function withinTransaction(tx: PagesCtx & Tx): PagesCtx {
  const pages = {
    ...tx.pages,
    writers: new KeyedQueue({ maxWaiting: 0 }),
    latest: new Lru<string, CurrentVersion>({ maxWeight: 0, weigh: () => 1 }),
  }
  const { reauthorization: _, idempotency: __, ...ctx } = tx
  return { ...ctx, actor: { ...tx.actor, merges: true }, pages, outer: tx }
}

function notInPerson(space: string): AppError {
  const detail =
    `The space \`${space}\` reviews what agents write: ` +
    `a person who is signed in with a browser merges it. Nothing was merged.`
  return new AppError('review_required', detail, { members: { nextSteps: [{ text: 'Ask an editor to merge it.' }] } })
}

/** A page that was made at an address since it was planned, or purged in the trash, is a conflict of the next plan. */
function unlessOccupied(error: unknown): undefined {
  const codes = ['page_exists', 'file_exists', 'not_found', 'precondition_required', 'precondition_failed']
  if (!(error instanceof AppError) || !codes.includes(error.code)) throw error
}

function mergeBlocked(checks: readonly Check[]): AppError {
  const names = checks.map(({ name }) => `\`${name}\``).join(', ')
  const detail = `The space needs these checks of a change request before it is merged: ${names}. Nothing was merged.`
  return new AppError('merge_blocked', detail, { members: { checks } })
}

function mergeIncomplete(requires: readonly string[]): AppError {
  const paths = requires.map((path) => `\`${path}\``).join(', ')
  const detail = `The changes of these pages depend on those of ${paths}. Nothing was merged: merge them together.`
  return new AppError('merge_incomplete', detail, { members: { requires } })
}

/** The error for changes that the present pages do not fit. */
export function mergeConflict(conflicts: PlannedChange['conflicts']): AppError {
  const paths = [...new Set(conflicts.map(({ path }) => `\`${path}\``))].join(', ')
  return new AppError(
    'merge_conflict',
    `The pages and the change request both changed ${paths}. Nothing was merged: change the drafts, and try again.`,
    { members: { conflicts } },
  )
}
