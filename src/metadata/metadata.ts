import type { Static } from 'typebox'
import type { Actor, Role } from '../access/caller.ts'
import type { Ctx } from '../access/ctx.ts'
import { checkIfMatch, type IfMatch } from '../access/entity-tag.ts'
import { type PageAccess, requireExistingPage, requirePage, toPageAccess } from '../access/page.ts'
import { withPageLock } from '../access/page-lock.ts'
import { accessSubjectOf, spaceAddressOf } from '../access/visibility.ts'
import { unlessOvertaken } from '../database/overtaken.ts'
import { inTransaction, type Tx } from '../database/transaction.ts'
import { AppError } from '../errors.ts'
import type { EventsCtx } from '../events/ctx.ts'
import { recordEvents } from '../events/record.ts'
import type { PageAddress } from '../http/addresses/page-address.ts'
import { uuid7 } from '../lib/encoding/uuid7.ts'
import { compareText } from '../lib/text/text-order.ts'
import type { MetadataCtx } from './ctx.ts'
import { applyPatch, changed, type KeyChange, type Limits, type Operation } from './patch.ts'
import type { metadataSchema } from './schema.ts'
import {
  type Doc,
  type DocumentRow,
  findPatch,
  type KeyProvenance,
  lockDocument,
  makeDocument,
  readActors,
  readDocument,
  writeChanges,
} from './store.ts'

const MAX_KEYS = 200

/** One key of a page, with its last author. */
export type MetadataEntry = PageMetadata['entries'][number]

export type PageMetadata = Static<typeof metadataSchema>

/** A patch of the metadata of a page. */
export interface MetadataChange extends PageAddress, IfMatch {
  readonly operations: readonly Operation[]
}

/** The metadata of a page that the caller can read. One round trip. */
export async function readMetadata(ctx: Ctx, address: PageAddress): Promise<PageMetadata> {
  const { page, row } = await findDocument(ctx, address, 'viewer')
  return toMetadata(page, row)
}

/** The keys that a patch would change; for editors. */
export async function previewPatch(ctx: Ctx, input: MetadataChange): Promise<string[]> {
  const { row } = await findDocument(ctx, input, 'editor')
  checkIfMatch({ commitOutcomeUnknown: false }, input, toMetadata(input, row))
  return applyPatch(valuesOf(row.doc), input.operations, limitsOf(ctx)).map(({ key }) => key)
}

async function findDocument(
  ctx: Ctx,
  { space, path }: PageAddress,
  role: Role,
): Promise<{ readonly page: PageAccess; readonly row: DocumentRow }> {
  const read = () =>
    readDocument[spaceAddressOf(space)].first(ctx.db, { ...accessSubjectOf(ctx.actor), slug: space, path })
  const row = await requireExistingPage(ctx, read, { space, path }, role)
  return { page: toPageAccess(row, { space, path }), row }
}

/**
 * Applies a patch, all of it or nothing, in one transaction. The document is read with its page, and written in one round trip while it
 * has no later change (compare-and-swap). If it has one, or if another patch of the page runs in this process, the patch is applied to the
 * locked document: patches of one page queue in the process and, with other nodes, at that lock, and each sees the result of the one before.
 */
export async function patchMetadata(ctx: MetadataCtx, input: MetadataChange): Promise<PageMetadata> {
  return (await patchWithChanges(ctx, input)).metadata
}

/** The same, with the keys that it changed. */
export async function patchWithChanges(
  ctx: MetadataCtx,
  input: MetadataChange,
): Promise<{ readonly metadata: PageMetadata; readonly changedKeys: readonly string[] }> {
  const { page, row: seen } = await findDocument(ctx, input, 'editor')
  const patch = { id: uuid7(), operations: input.operations, ifMatch: input.ifMatch }
  const attempt = async (tx: EventsCtx & Tx, by: PatchAttempt) => {
    const { row, changedKeys } = await patchOnce(tx, page, patch, by)
    const metadata = toMetadata(page, row)
    await tx.saveIdempotentResult(metadata)
    return { metadata, changedKeys }
  }
  const key = lockKey(page)
  // Later patches will have changed it. An empty one may have no row yet.
  const isLatest = seen.last_seq > 0 && ctx.pages.writers.isFree(key)
  const patched = await withPageLock(ctx.pages.writers, key, async () => {
    const swapped = isLatest && (await unlessOvertaken(ctx, (tx) => attempt(tx, { seen })))
    return swapped || inTransaction(ctx, (tx) => attempt(tx, { mayBeDone: isLatest }))
  })
  if (patched.changedKeys.length > 0) ctx.pages.unindexed.add()
  return patched
}

/** The changed keys of each page: all patches in one transaction, or none. The pages are distinct. */
export async function patchTogether(
  ctx: MetadataCtx,
  changes: readonly MetadataChange[],
): Promise<(PageAddress & { readonly changedKeys: readonly string[] })[]> {
  const patches: PagePatch[] = []
  for (const { space, path, operations, ifMatch } of changes) {
    const page = await requirePage(ctx, { space, path }, 'editor')
    patches.push({ page, patch: { id: uuid7(), operations, ifMatch } })
  }
  // In one order everywhere, against deadlocks.
  patches.sort((a, b) => a.page.spaceId - b.page.spaceId || a.page.id - b.page.id)
  const keys = await withPageLocks(ctx, patches, () =>
    inTransaction(ctx, async (tx) => {
      const changedKeys = new Map<string, readonly string[]>()
      for (const { page, patch } of patches) {
        changedKeys.set(nameOf(page), (await patchOnce(tx, page, patch)).changedKeys)
      }
      await tx.saveIdempotentResult(outcomesOf(changes, changedKeys))
      return changedKeys
    }),
  )
  ctx.pages.unindexed.add()
  return outcomesOf(changes, keys)
}

interface PagePatch {
  readonly page: PageAccess
  readonly patch: Patch
}

const nameOf = ({ space, path }: PageAddress) => `${space}/${path}`

function outcomesOf(changes: readonly PageAddress[], keys: ReadonlyMap<string, readonly string[]>) {
  return changes.map(({ space, path }) => ({
    space,
    path,
    changedKeys: keys.get(nameOf({ space, path })) ?? [],
  }))
}

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
  applyPatch(new Map(), operations, limitsOf(ctx))
}

interface Patch extends IfMatch {
  /** Generated before the first attempt, so that an append whose response was lost is found instead of applied again. */
  readonly id: string
  readonly operations: readonly Operation[]
}

interface PatchAttempt {
  /** The document for a compare-and-swap; absent: it is locked and read. */
  readonly seen?: DocumentRow
  /** Whether an earlier transaction may have applied the patch. */
  readonly mayBeDone?: boolean
}

async function patchOnce(
  tx: EventsCtx & Tx,
  page: PageAccess,
  patch: Patch,
  { seen, mayBeDone = false }: PatchAttempt = {},
): Promise<{ readonly row: DocumentRow; readonly changedKeys: readonly string[] }> {
  const row = seen ?? (await lockRow(tx, page))
  // Which keys it changed is not known any more.
  const isRepeated = !seen && (mayBeDone || tx.commitOutcomeUnknown)
  if (isRepeated && (await findPatch.first(tx.db, { ...keyOf(page), patchId: patch.id })))
    return { row: await withActors(tx, row), changedKeys: patch.operations.map(({ key }) => key) }
  if (patch.ifMatch !== undefined) checkIfMatch(tx, patch, toMetadata(page, await withActors(tx, row)))
  const changes = applyPatch(valuesOf(row.doc), patch.operations, limitsOf(tx))
  if (changes.length === 0) return { row: await withActors(tx, row), changedKeys: [] }
  const now = tx.now()
  await write(tx, page, patch.id, row.last_seq, changes, now)
  const after = await withActors(tx, {
    ...row,
    doc: Object.fromEntries(changed(valuesOf(row.doc), changes)),
    stamps: { ...row.stamps, ...stampsOf(changes, tx.actor, now) },
    actors: { ...row.actors, [tx.actor.id]: { id: tx.actor.id, name: tx.actor.name, kind: tx.actor.kind } },
  })
  return { row: after, changedKeys: changes.map(({ key }) => key) }
}

async function lockRow(tx: Ctx & Tx, page: PageAccess): Promise<DocumentRow> {
  return (await lockDocument.first(tx.db, keyOf(page))) ?? (await makeAndLock(tx, page))
}

const keyOf = ({ spaceId, id: pageId }: PageAccess) => ({ spaceId, pageId })

async function makeAndLock(tx: Ctx & Tx, page: PageAccess): Promise<DocumentRow> {
  await makeDocument.all(tx.db, keyOf(page))
  const row = await lockDocument.first(tx.db, keyOf(page))
  if (row) return row
  const detail = `The page \`${page.path}\` was removed while its metadata was to be changed.`
  throw new AppError('not_found', detail)
}

async function write(
  tx: EventsCtx & Tx,
  page: Pick<PageAccess, 'id' | 'spaceId' | 'path' | 'title' | 'version'>,
  patchId: string,
  lastSeq: number,
  changes: readonly KeyChange[],
  now: Date,
): Promise<void> {
  const { actor } = tx
  await writeChanges(tx, {
    spaceId: page.spaceId,
    pageId: page.id,
    patchId,
    lastSeq,
    changes,
    stamps: stampsOf(changes, actor, now),
    actorId: actor.id,
    now,
  })
  await recordEvents(tx, [
    {
      kind: 'page.metadata.updated',
      spaceId: page.spaceId,
      pageId: page.id,
      actorId: actor.id,
      at: now,
      data: {
        path: page.path,
        title: page.title,
        version: page.version,
        changedKeys: changes.map(({ key }) => key),
      },
    },
  ])
}

/**
 * The row with a name for every stamp. The lock may have waited for a writer that its statement could not see yet:
 * then the names are looked up again.
 */
async function withActors(tx: Ctx & Tx, row: DocumentRow): Promise<DocumentRow> {
  const ids = Object.values(row.stamps).map(([, id]) => id)
  if (ids.every((id) => Object.hasOwn(row.actors, id))) return row
  const found = await readActors.first(tx.db, { ids })
  return { ...row, actors: { ...row.actors, ...found?.actors } }
}

function stampsOf(changes: readonly KeyChange[], actor: Actor, now: Date): KeyProvenance {
  const present = changes.filter(({ after }) => after !== undefined)
  return Object.fromEntries(present.map(({ key }) => [key, [now.toISOString(), actor.id]]))
}

function limitsOf(ctx: Pick<Ctx, 'config'>): Limits {
  return { keys: MAX_KEYS, valueBytes: ctx.config.maxMetadataValueBytes }
}

function valuesOf(doc: Doc): Map<string, unknown> {
  return new Map(Object.entries(doc))
}

/** Keys in the order of their code points, which is the same in every response. */
function toMetadata({ space, path }: PageAddress, row: DocumentRow): PageMetadata {
  const keys = Object.keys(row.doc).sort(compareText)
  const entries = keys.map((key) => toEntry(row, key))
  return { space, path, metadata: Object.fromEntries(entries.map(({ key, value }) => [key, value])), entries }
}

function toEntry({ doc, stamps, actors }: DocumentRow, key: string): MetadataEntry {
  const [updatedAt, id] = stamps[key] ?? []
  const updatedBy = id === undefined ? undefined : actors[id]
  if (updatedAt === undefined || !updatedBy) throw new Error(`The key ${key} has no stamp`)
  return { key, value: doc[key], updatedAt, updatedBy }
}
