import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import type { Backlog } from '@recto/lib/concurrency/backlog.ts'
import type { KeyedQueue } from '@recto/lib/concurrency/keyed-queue.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { compareText } from '@recto/lib/text/text-order.ts'
import type { Static } from 'typebox'
import type { Actor, Role } from '../../access/caller.ts'
import type { Ctx, OverlaidCtx } from '../../access/ctx.ts'
import { checkIfMatch, type IfMatch } from '../../access/entity-tag.ts'
import { requireExisting } from '../../access/missing.ts'
import { type DraftedPage, isOverlaid, toProposal, withDraft } from '../../access/overlay.ts'
import { type PageAccess, type PageAccessRow, requirePage, toPageAccess, withPageLock } from '../../access/page.ts'
import { checkRounds, saveDraft, toDraftTarget } from '../../access/save-draft.ts'
import { toAccessSubject, toSpaceAddress } from '../../access/visibility.ts'
import type { EventsCtx } from '../../events/feed/ctx.ts'
import { type EventTx, recordEvents } from '../../events/feed/record.ts'
import { inTransaction, type Tx, unlessOvertaken } from '../../platform/database/transaction.ts'
import { toDraftMetadata, withOperations } from './drafts.ts'
import { applyPatch, changed, type KeyChange, type Limits, type Operation } from './patch.ts'
import type { metadataSchema } from './schema.ts'
import * as store from './store.ts'
import { buildStamps, writeChanges } from './store-changes.ts'

/** The context of use cases that change metadata: they acquire the lock of the page. */
export interface MetadataCtx extends EventsCtx {
  readonly pages: {
    readonly writers: KeyedQueue
    /** Pages whose metadata was changed by this process, for the search index. */
    readonly unindexed: Pick<Backlog, 'add'>
  }
}

const MAX_KEYS = 200

/** One key of a page, with its last author. */
export type MetadataEntry = PageMetadata['entries'][number]

export type PageMetadata = Static<typeof metadataSchema>

/** A patch of the metadata of a page. */
export interface MetadataChange extends PageAddress, IfMatch {
  readonly operations: readonly Operation[]
}

/** The metadata of a page that the caller can read, without an account only where that is public. One round trip. */
export async function readMetadata(ctx: Ctx, address: PageAddress): Promise<PageMetadata> {
  if (ctx.actor.visitor !== undefined && !(await store.findPublicMetadata.first(ctx.db, address))) {
    throw new AppError('not_found', 'There is no metadata here that can be read without an account.')
  }
  const { page, row } = await findDocument(ctx, address, 'viewer')
  return toMetadata(page, withOperations(row, readLimits(ctx)))
}

/** The keys that a patch would change; for editors. */
export async function previewPatch(ctx: Ctx, input: MetadataChange): Promise<string[]> {
  const { row } = await findDocument(ctx, input, 'editor')
  checkIfMatch({ commitOutcomeUnknown: false }, input, toMetadata(input, row))
  return applyPatch(readValues(row.doc), input.operations, readLimits(ctx)).map(({ key }) => key)
}

async function findDocument(
  ctx: Ctx,
  { space, path }: PageAddress,
  role: Role,
): Promise<{ readonly page: PageAccess; readonly row: PageAccessRow & store.DocumentRow & DraftedPage }> {
  const args = { ...toAccessSubject(ctx.actor), slug: space, path }
  const read = () =>
    withDraft(ctx, { space, path }, (at) =>
      store.readDocument[toSpaceAddress(space)].first(ctx.db, { ...args, path: at }),
    )
  const row = await requireExisting(ctx, 'page', read, { space, path }, ctx.overlay ? 'viewer' : role)
  return { page: toPageAccess(row, { space, path }), row }
}

/**
 * Applies a patch, all of it or nothing, in one transaction. The document is read with its page, and written in one
 * round trip while it has no later change (compare-and-swap). If it has one, or if another patch of the page runs in
 * this process, the patch is applied to the locked document: patches of one page queue in the process and, with other
 * nodes, at that lock, and each sees the result of the one before.
 */
export async function patchMetadata(ctx: MetadataCtx, input: MetadataChange): Promise<PageMetadata> {
  return (await patchWithChanges(ctx, input)).metadata
}

/** The same, with the keys that it changed. */
export async function patchWithChanges(ctx: MetadataCtx, input: MetadataChange): Promise<Patched> {
  if (isOverlaid(ctx)) return proposePatch(ctx, input)
  const { page, row: document } = await findDocument(ctx, input, 'editor')
  const patch = { id: uuid7(), operations: input.operations, ifMatch: input.ifMatch }
  const key = lockKey(page)
  // Later patches will have changed it. An empty one may have no row yet.
  const isLatest = ctx.outer === undefined && document.last_seq > 0 && ctx.pages.writers.isFree(key)
  const patchedPage = await withPageLock(ctx.pages.writers, key, async () => {
    const swappedPage = isLatest && (await swapDocument(ctx, page, patch, document))
    if (swappedPage) return swappedPage
    return inTransaction(ctx, async (tx) => {
      const [result] = await patchLocked(tx, [{ page, patch }], isLatest)
      return saveResult(tx, result as Patched) // that of the only page
    })
  })
  if (patchedPage.changedKeys.length > 0) ctx.pages.unindexed.add()
  return patchedPage
}

/** Keeps a patch as a draft of the change request: its operations run again on the values of the merge. */
async function proposePatch(
  ctx: OverlaidCtx<MetadataCtx>,
  { operations, ifMatch, ...address }: MetadataChange,
): Promise<Patched> {
  for (let round = 1; ; round++) {
    const { page, row } = await findDocument(ctx, address, 'viewer')
    const before = withOperations(row, readLimits(ctx))
    checkIfMatch({ commitOutcomeUnknown: false }, { ifMatch }, toMetadata(page, before))
    const { patched } = applyTo(ctx, page, { id: uuid7(), operations }, before)
    const metadata = toDraftMetadata(row.draft, operations, row.doc)
    const proposedPage = await unlessOvertaken(ctx, async (tx) => {
      const savedDraft = await saveDraft(tx, toDraftTarget(row, address.path), { metadata })
      return saveResult(tx, { ...patched, metadata: { ...patched.metadata, ...toProposal(ctx, savedDraft.number) } })
    })
    if (proposedPage) return proposedPage
    checkRounds(round)
  }
}

/** The changed keys of each page: all patches in one transaction, or none. The pages are distinct. */
export async function patchTogether(
  ctx: MetadataCtx,
  changes: readonly MetadataChange[],
): Promise<(PageAddress & { readonly changedKeys: readonly string[] })[]> {
  const patches = await readPages(ctx, changes)
  const outcomes = await withPageLocks(ctx, patches, () =>
    inTransaction(ctx, async (tx) => {
      const patchedPages = await patchLocked(tx, patches)
      const keys = new Map(patches.map(({ page }, n) => [formatName(page), patchedPages[n]?.changedKeys ?? []]))
      const results = changes.map(({ space, path }) => ({
        space,
        path,
        changedKeys: keys.get(formatName({ space, path })) ?? [],
      }))
      await tx.saveIdempotentResult(results)
      return results
    }),
  )
  ctx.pages.unindexed.add()
  return outcomes
}

/** The pages of patches, in one round trip, in the order of their locks; the first page in error counts. */
async function readPages(ctx: MetadataCtx, changes: readonly MetadataChange[]): Promise<PagePatch[]> {
  const pages = await Promise.allSettled(changes.map((change) => requirePage(ctx, change, 'editor')))
  const patches = changes.map(({ operations, ifMatch }, n): PagePatch => {
    const page = pages[n]
    if (page?.status !== 'fulfilled') throw page?.reason
    return { page: page.value, patch: { id: uuid7(), operations, ifMatch } }
  })
  return patches.sort((a, b) => a.page.spaceId - b.page.spaceId || a.page.id - b.page.id)
}

interface PagePatch {
  readonly page: PageAccess
  readonly patch: Patch
}

const formatName = ({ space, path }: PageAddress) => `${space}/${path}`

/** Holds the locks of all pages, which are in order. */
function withPageLocks<T>(
  ctx: MetadataCtx,
  [first, ...others]: readonly PagePatch[],
  work: () => Promise<T>,
): Promise<T> {
  if (!first) return work()
  const next = () => withPageLocks(ctx, others, work)
  return withPageLock(ctx.pages.writers, lockKey(first.page), next)
}

const lockKey = ({ spaceId, id }: PageAccess) => `metadata/${spaceId}/${id}`

/** Rejects metadata that exceeds the limits of every page, before anything is written. */
export function checkInitial(ctx: Pick<Ctx, 'config'>, operations: readonly Operation[]): void {
  applyPatch(new Map(), operations, readLimits(ctx))
}

interface Patch extends IfMatch {
  /** Generated before the first attempt, so that an append whose response was lost is found, not repeated. */
  readonly id: string
  readonly operations: readonly Operation[]
}

interface Patched {
  readonly metadata: PageMetadata
  readonly changedKeys: readonly string[]
}

/**
 * Applies a patch to a document that was read before, and writes it while that has no later change (compare-and-swap);
 * undefined, with nothing changed, if it has one, or if it is locked.
 */
async function swapDocument(
  ctx: MetadataCtx,
  page: PageAccess,
  patch: Patch,
  document: store.DocumentRow,
): Promise<Patched | undefined> {
  if (patch.ifMatch !== undefined) checkIfMatch({ commitOutcomeUnknown: false }, patch, toMetadata(page, document))
  const { change, patched } = applyTo(ctx, page, patch, document)
  return unlessOvertaken(ctx, async (tx) => {
    if (change) await writePageChanges(tx, [change])
    return saveResult(tx, patched)
  })
}

/** Stores the response for repeated requests. */
async function saveResult(tx: Tx, patchedPage: Patched): Promise<Patched> {
  await tx.saveIdempotentResult(patchedPage.metadata)
  return patchedPage
}

/** Applies patches of distinct pages to their locked documents. `mayBeDone`: an earlier attempt may have done so. */
async function patchLocked(tx: EventsCtx & Tx, patches: readonly PagePatch[], mayBeDone = false): Promise<Patched[]> {
  const rows = await lockRows(
    tx,
    patches.map(({ page }) => page),
  )
  const done = mayBeDone || tx.commitOutcomeUnknown ? await findApplied(tx, patches) : new Set()
  const results = patches.map(({ page, patch }) => {
    const row = rows.get(page.id)
    if (!row)
      throw new AppError('not_found', `The page \`${page.path}\` was removed while its metadata was to be changed.`)
    // Which keys it changed is not known any more.
    if (done.has(page.id)) {
      const changedKeys = patch.operations.map(({ key }) => key)
      return { change: undefined, patched: { metadata: toMetadata(page, row), changedKeys } }
    }
    if (patch.ifMatch !== undefined) checkIfMatch(tx, patch, toMetadata(page, row))
    return applyTo(tx, page, patch, row)
  })
  const changes = results.flatMap(({ change }) => change ?? [])
  if (changes.length > 0) await writePageChanges(tx, changes)
  return results.map(({ patched }) => patched)
}

/** What a patch makes of a document; no change if it stays as it is. */
function applyTo(
  ctx: Ctx,
  page: PageAccess,
  { id, operations }: Patch,
  row: store.DocumentRow,
): { readonly change: PageChange | undefined; readonly patched: Patched } {
  const { actor, via } = ctx
  const changes = applyPatch(readValues(row.doc), operations, readLimits(ctx))
  if (changes.length === 0) return { change: undefined, patched: { metadata: toMetadata(page, row), changedKeys: [] } }
  const now = ctx.now()
  const after = {
    ...row,
    doc: Object.fromEntries(changed(readValues(row.doc), changes)),
    stamps: { ...row.stamps, ...buildStamps({ changes, actorId: actor.id, via, now }) },
    actors: { ...row.actors, [actor.id]: { id: actor.id, name: actor.name, kind: actor.kind } },
    apps: via === undefined || actor.via === undefined ? row.apps : { ...row.apps, [via]: actor.via },
  }
  return {
    change: { page, patchId: id, lastSeq: row.last_seq, changes, actor, via, now },
    patched: { metadata: toMetadata(page, after), changedKeys: changes.map(({ key }) => key) },
  }
}

async function findApplied(tx: Tx, patches: readonly PagePatch[]): Promise<ReadonlySet<number>> {
  const keys = patches.map(({ page, patch }) => ({ ...toPageKey(page), patch_id: patch.id }))
  const rows = await store.listPatched.all(tx.db, { patches: JSON.stringify(keys) })
  return new Set(rows.map(({ page_id }) => page_id))
}

const toPageKey = ({ spaceId, id }: PageAccess) => ({ space_id: spaceId, page_id: id })

/** The locked documents by page, made where a page has none; none of a page that was removed. */
async function lockRows(tx: Ctx & Tx, pages: readonly PageAccess[]): Promise<ReadonlyMap<number, store.DocumentRow>> {
  const lock = (some: readonly PageAccess[]) =>
    store.lockDocuments.all(tx.db, { pages: JSON.stringify(some.map(toPageKey)) })
  const rows = new Map((await lock(pages)).map((row) => [row.page_id, row]))
  const others = pages.filter(({ id }) => !rows.has(id))
  if (others.length > 0) {
    await store.makeDocuments.all(tx.db, { pages: JSON.stringify(others.map(toPageKey)) })
    for (const row of await lock(others)) rows.set(row.page_id, row)
  }
  return withActors(tx, rows)
}

/** The rows with a name for every stamp; the names of concurrent writers are looked up again. */
async function withActors<T extends store.DocumentRow>(
  tx: Ctx & Tx,
  rows: ReadonlyMap<number, T>,
): Promise<ReadonlyMap<number, T>> {
  const ids = [...rows.values()].flatMap(({ stamps, actors, apps }) =>
    Object.values(stamps).flatMap(([, actorId, via = actorId]) =>
      [actorId, via].filter((id) => !Object.hasOwn(actors, id) && !Object.hasOwn(apps, id)),
    ),
  )
  if (ids.length === 0) return rows
  const more = await store.readAuthors.first(tx.db, { ids: [...new Set(ids)] })
  const withMore = (row: T): T => ({
    ...row,
    actors: { ...row.actors, ...more?.actors },
    apps: { ...row.apps, ...more?.apps },
  })
  return new Map([...rows].map(([id, row]) => [id, withMore(row)]))
}

/** The limits of the metadata of a page. */
export function readLimits(ctx: Pick<Ctx, 'config'>): Limits {
  return { keys: MAX_KEYS, valueBytes: ctx.config.maxMetadataValueBytes }
}

function readValues(doc: store.Doc): Map<string, unknown> {
  return new Map(Object.entries(doc))
}

/** Keys in the order of their code points, which is the same in every response. */
function toMetadata({ space, path }: PageAddress, row: store.DocumentRow): PageMetadata {
  const keys = Object.keys(row.doc).sort(compareText)
  const entries = keys.map((key) => toEntry(row, key))
  return { space, path, metadata: Object.fromEntries(entries.map(({ key, value }) => [key, value])), entries }
}

function toEntry({ doc, stamps, actors, apps }: store.DocumentRow, key: string): MetadataEntry {
  const [updatedAt, id, connectionId] = stamps[key] ?? []
  const actor = id === undefined ? undefined : actors[id]
  if (updatedAt === undefined || !actor) throw new Error(`The key ${key} has no stamp`)
  const via = connectionId === undefined ? undefined : apps[connectionId]
  return { key, value: doc[key], updatedAt, updatedBy: { ...actor, ...(via !== undefined && { via }) } }
}

interface PageChange {
  readonly page: Pick<PageAccess, 'id' | 'spaceId' | 'path' | 'title' | 'version'>
  readonly patchId: string
  readonly lastSeq: number
  readonly changes: readonly KeyChange[]
  readonly actor: Actor
  /** The connection of the app that acts for the actor. */
  readonly via: string | undefined
  readonly now: Date
}

/** Writes the changes of distinct pages with their events; fails as overtaken where `writeChanges` does. */
async function writePageChanges(tx: EventTx, patches: readonly PageChange[]): Promise<void> {
  await writeChanges(
    tx,
    patches.map(({ page, actor, ...change }) => ({
      ...change,
      spaceId: page.spaceId,
      pageId: page.id,
      actorId: actor.id,
    })),
  )
  await recordEvents(
    tx,
    patches.map(({ page: { id, spaceId, path, title, version }, changes, actor, now }) => ({
      kind: 'page.metadata.updated',
      spaceId,
      pageId: id,
      actor,
      at: now,
      data: { path, title, version, changedKeys: changes.map(({ key }) => key) },
    })),
  )
}
