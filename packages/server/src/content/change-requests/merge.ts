import { AppError, inputError, retryLater } from '@recto/contract/errors.ts'
import { KeyedQueue } from '@recto/lib/concurrency/keyed-queue.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { Lru } from '@recto/lib/lru.ts'
import { isInPerson } from '../../access/caller.ts'
import { type CurrentVersion, checkPreconditions, type Preconditions } from '../../access/preconditions.ts'
import { closed } from '../../access/save-draft.ts'
import { requirePaths, toNeededPlaces } from '../../access/space.ts'
import { lockRequest } from '../../access/store-drafts.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { withNeededRoles } from '../../identity/rights/reauthorization.ts'
import { withLongStatements } from '../../platform/database/limits.ts'
import { type Tx, unlessOvertaken } from '../../platform/database/transaction.ts'
import { moveToTrash } from '../lifecycle/delete.ts'
import { movePage } from '../lifecycle/move.ts'
import { patchMetadata } from '../metadata/metadata.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { findPage } from '../pages/find.ts'
import type { WrittenPage } from '../pages/page-write.ts'
import { writePage } from '../pages/write.ts'
import { listMissing, readChecks } from './assess.ts'
import { listRequired, movedFrom, type PlannedChange, planChanges, toKind } from './plan-merge.ts'
import {
  type KnownRequest,
  type RequestAddress,
  readRequest,
  requireRequest,
  toChangeRequest,
  toCurrentRequest,
} from './requests.ts'
import type { ChangeRequest, Check, Merge } from './schema.ts'
import * as store from './store.ts'

/** Attempts to merge, since others may write its pages meanwhile. */
const MAX_ROUNDS = 8

interface MergedPage {
  readonly path: string
  readonly kind: PlannedChange['kind']
  readonly version: number
}

export type MergeOutcome = ChangeRequest & { readonly merged: MergedPage[] }

/**
 * Merges a change request, or its changes of some pages: each by a three-way merge onto the present version, all in one
 * transaction, or nothing. For editors at every address. Repeated after a success, it returns the same revisions.
 */
export async function mergeRequest(
  ctx: PagesCtx,
  address: RequestAddress,
  { paths, note, preconditions }: Merge & { readonly preconditions: Preconditions },
): Promise<MergeOutcome> {
  for (let round = 1; ; round++) {
    const request = await requireRequest(ctx, address)
    const { space, row } = request
    const changes = await store.listChanges(ctx.db, toAccessSubject(ctx.actor), {
      spaceId: space.id,
      number: row.number,
    })
    if (row.state === 'merged') return { ...toChangeRequest(ctx, row), merged: listMerged(changes) }
    if (row.state !== 'open') throw closed(row.number, row.state)
    checkPreconditions(toCurrentRequest(ctx, row), preconditions, 'change request')
    const open = changes.filter(({ merged_version }) => merged_version === null)
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
    const mergeCtx = withNeededRoles(ctx, toNeededPlaces(space, rankedPaths, 'organizer'))
    const apply = () => unlessOvertaken(mergeCtx, (tx) => applyMerge(tx, request, plans, note))
    const outcome = await withLongStatements(apply)
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
      : [{ path: change.address, kind: toKind(change), version: change.merged_version }],
  )
}

/** One attempt; undefined, with nothing changed, where the request or a page was changed since it was planned. */
async function applyMerge(
  tx: PagesCtx & Tx,
  { space, row }: KnownRequest,
  plans: readonly PlannedChange[],
  note: string | undefined,
): Promise<MergeOutcome | undefined> {
  const key = { spaceId: space.id, number: row.number }
  const lockedRequest = await lockRequest.first(tx.db, key)
  if (lockedRequest?.version !== row.version) return tx.noChange()
  const versions = await store.lockPages(
    tx,
    space.id,
    plans.flatMap(({ change }) => change.page_id ?? []),
  )
  const { checks, inPerson } = await readChecks(tx, key, {
    changes: plans.map(({ change }) => change.id),
    isMerge: true,
  })
  if (inPerson && !isInPerson(tx.actor)) throw notInPerson(space.slug)
  const missing = listMissing(checks)
  if (missing.length > 0) throw mergeBlocked(missing)
  const isCurrent = ({ change, version }: PlannedChange) => version === (versions.get(change.page_id ?? -1) ?? null)
  if (!plans.every(isCurrent)) return tx.noChange()
  const ctx = withinTransaction(tx)
  const mergedChanges: store.MergedChange[] = []
  // A page may be created, or moved to, where another one is deleted or moves away.
  const order = (plan: PlannedChange) => (plan.kind === 'deleted' ? 0 : plan.kind === 'created' ? 2 : 1)
  const sortedPlans = plans.toSorted((a, b) => order(a) - order(b))
  const isNew = ({ kind }: PlannedChange) => kind === 'created'
  const write = async (some: readonly PlannedChange[]) => {
    for (const plan of some) mergedChanges.push(await mergeChange(ctx, space.slug, plan, note))
  }
  await write(sortedPlans.filter((plan) => !isNew(plan)))
  const movedVersions = await mergeMoves(ctx, space.slug, sortedPlans)
  await write(sortedPlans.filter(isNew))
  const finishedChanges = mergedChanges.map((each) => ({
    ...each,
    version: movedVersions.get(each.draftId) ?? each.version,
  }))
  await store.noteMerged(tx, key, { mergedBy: tx.actor.id, changes: finishedChanges })
  const isMerged = await store.isMerged(tx, key)
  if (isMerged) await store.setState(tx, key, { state: 'merged', actorId: tx.actor.id, now: tx.now() })
  else await store.updateRequest(tx, key, { now: tx.now() })
  await tx.tellOfRequest(tx, key, isMerged ? 'merged' : 'updated')
  const versionsByDraft = new Map(finishedChanges.map(({ draftId, version }) => [draftId, version]))
  const outcome = {
    ...(await readRequest(tx, key.spaceId, key.number)),
    merged: plans.map(({ change, path, kind }) => ({ path, kind, version: versionsByDraft.get(change.id) ?? 0 })),
  }
  await tx.saveIdempotentResult(outcome)
  return outcome
}

/** Makes one change by the use case that a direct write has. */
async function mergeChange(
  ctx: PagesCtx,
  space: string,
  plan: PlannedChange,
  note: string | undefined,
): Promise<store.MergedChange> {
  const { change, kind, from: path, version } = plan
  if (kind === 'created') return mergeCreation(ctx, space, plan, note)
  const mergedChange = { draftId: change.id, pageId: change.page_id ?? 0, version: version ?? 0, revision: null }
  const preconditions = { ifMatch: version === null ? undefined : [version], ifNoneMatch: undefined, required: false }
  if (kind === 'deleted') {
    if (version !== null) await moveToTrash(ctx, 'page', { space, path, preconditions })
    return mergedChange
  }
  const { body, operations } = plan
  const writtenPage = body && (await writePage(ctx, { space, path, body, note: change.note ?? note, preconditions }))
  if (operations.length > 0) await patchMetadata(ctx, { space, path, operations })
  return writtenPage ? { ...mergedChange, ...toRevision(writtenPage) } : mergedChange
}

async function mergeCreation(
  ctx: PagesCtx,
  space: string,
  { change, path, body = Buffer.alloc(0), operations: metadata }: PlannedChange,
  note: string | undefined,
): Promise<store.MergedChange> {
  const preconditions = { ifMatch: undefined, ifNoneMatch: undefined, required: false }
  const writtenPage = await writePage(ctx, {
    ...{ space, path, body, note: change.note ?? note, preconditions },
    ...(metadata.length > 0 && { metadata }),
  })
  const { page_id: pageId } = await findPage(ctx, { space, path }, 'editor')
  return { draftId: change.id, pageId, ...toRevision(writtenPage) }
}

function toRevision({ page: { version } }: WrittenPage) {
  return { version, revision: version }
}

/** Moves pages as the request does, also those that change places; links follow. Returns the versions by draft. */
async function mergeMoves(
  ctx: PagesCtx,
  space: string,
  plans: readonly PlannedChange[],
): Promise<ReadonlyMap<number, number>> {
  const versions = new Map<number, number>()
  const moves = plans.flatMap(({ change, path, kind }) => {
    const from = kind === 'deleted' ? null : movedFrom(change)
    return from === null ? [] : [{ id: change.id, from, to: path }]
  })
  const sources = new Set(moves.map(({ from }) => from))
  // One of a circle goes aside until its place is free.
  const queue = [...moves]
  while (queue.length > 0) {
    const index = queue.findIndex(({ to, from }) => to === from || !sources.has(to))
    const move = queue[Math.max(index, 0)]
    if (!move) break
    const aside = index === -1 ? `${move.to}-${uuid7()}` : undefined
    const outcome = await movePage(ctx, {
      space,
      path: move.from,
      to: { path: aside ?? move.to },
      withChildren: false,
      rewriteLinks: aside === undefined,
      dryRun: false,
      preconditions: { ifMatch: '*', ifNoneMatch: undefined, required: false },
    })
    sources.delete(move.from)
    if (aside !== undefined) {
      queue[0] = { ...move, from: aside }
      continue
    }
    queue.splice(index, 1)
    versions.set(move.id, outcome.page?.version ?? 0)
  }
  return versions
}

/**
 * The context of use cases that run inside a transaction, which holds the locks of their pages: they wait for no writer
 * of this process, who may wait for these locks, and leave nothing behind for others before the commit. No review is
 * needed any more.
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
  const detail = `The space \`${space}\` reviews what agents write: a person who is signed in with a browser merges it. Nothing was merged.`
  return new AppError('review_required', detail, { members: { nextSteps: [{ text: 'Ask an editor to merge it.' }] } })
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
  const detail = `The pages and the change request both changed ${paths}. Nothing was merged: change the drafts, and try again.`
  return new AppError('merge_conflict', detail, { members: { conflicts } })
}
