import { AppError, inputError } from '@recto/contract/errors.ts'
import { checkNewPath, type PageAddress } from '@recto/contract/page-address.ts'
import { authorColumns } from '../../access/authors.ts'
import { requireRank } from '../../access/caller.ts'
import type { Ctx, Overlay } from '../../access/ctx.ts'
import { findMovedTo } from '../../access/missing.ts'
import { isOverlaid, withDraft } from '../../access/overlay.ts'
import { withPageLock } from '../../access/page.ts'
import { checkNotMoved, checkPreconditions, toCurrent } from '../../access/preconditions.ts'
import { checkRounds } from '../../access/save-draft.ts'
import { openPersonalSpace } from '../../access/space.ts'
import { toAccessSubject, toSpaceAddress } from '../../access/visibility.ts'
import type { EventsCtx } from '../../events/feed/ctx.ts'
import { type Tx, unlessOvertaken } from '../../platform/database/transaction.ts'
import { findMovedAddress } from '../../platform/http/redirects.ts'
import { upsertAddresses } from '../links/replace.ts'
import { checkInitial } from '../metadata/metadata.ts'
import type { PagesCtx } from './ctx.ts'
import { packRevision, type RevisionData } from './pack-revision.ts'
import { type PageRow, toPage } from './page.ts'
import type { CheckedWrite, Draft, WritePage, WrittenPage } from './page-write.ts'
import { makeDraft, proposePage } from './propose.ts'
import { findWritten, insertPage, insertRevision, readTarget, type WriterRow } from './store.ts'
import { finishPageWrites } from './writing/finish-page-writes.ts'

/*
 * Creates a page or adds a revision to it, with optimistic concurrency control by ETag (RFC 9110, section 13.1): of any
 * number of concurrent writers that send the same ETag exactly one succeeds.
 *
 * 1. `findTarget` reads the state of the address: a page with its version, or no page (`page_id` is null).
 * 2. `checkTarget` compares it with If-Match and If-None-Match. A stale ETag ends here (412).
 * 3. Writers of one page queue in this process. A writer at the head of the queue first reads from `ctx.pages.latest`
 *    the version that the previous one wrote: a stale ETag ends here (412) without another read.
 * 4. `makeDraft` parses the body, once and outside any transaction.
 * 5. `storeDraft` inserts the page, or updates it while it still has the version of step 1 (compare-and-swap). The same
 *    transaction stores links, search text, events and the result for a repeated Idempotency-Key. An update whose links
 *    are the same is sent in one round trip, with its commit.
 *
 * Step 5 ends in one of three states:
 * - written: it returns a version.
 * - overtaken: another node has written the page since. Nothing is stored, and the write goes back to step 1, where the
 *   preconditions usually fail now.
 * - unknown: the connection was lost during the commit. `inTransaction` runs step 5 again; if the first commit
 *   succeeded, this run waits for it and is overtaken, and `findWritten` finds the revision by the id from step 4.
 */

/** Creates the page, or adds a revision if the preconditions name the current one. */
export async function writePage(ctx: PagesCtx, input: WritePage): Promise<WrittenPage> {
  const writerRow = await findTarget(ctx, input)
  await checkTarget(ctx, input, writerRow)
  if (input.metadata) checkInitial(ctx, input.metadata)
  return withPageLock(ctx.pages.writers, lockKey(writerRow, input, ctx.overlay), async () => {
    if (!ctx.overlay) checkLatest(ctx, input, writerRow)
    const draft = await makeDraft(ctx, input, writerRow)
    for (let [target, round] = [writerRow, 1]; ; target = await findTarget(ctx, input), round++) {
      const redirectEnded = await checkTarget(ctx, input, target)
      // A note of blanks says nothing: there is none.
      const note = input.note?.trim() || undefined
      const write = { ...input, note, redirectEnded }
      const writtenPage = await (isOverlaid(ctx)
        ? proposePage(ctx, write, target, draft)
        : storeInTransaction(ctx, write, target, draft))
      if (writtenPage) return writtenPage
      // A direct write ends by its preconditions.
      if (ctx.overlay) checkRounds(round)
    }
  })
}

/** The state of the address. A personal space is created here when its owner first writes to it. */
async function findTarget(ctx: Ctx, input: WritePage): Promise<WriterRow> {
  const read = () =>
    withDraft(ctx, input, (path) =>
      readTarget[toSpaceAddress(input.space)].first(ctx.db, { ...toAccessSubject(ctx.actor), slug: input.space, path }),
    )
  let target = await read()
  if (!target && (await openPersonalSpace(ctx, input.space))) target = await read()
  return requireRank(target, input.space, ctx.overlay ? 'viewer' : 'editor', input.path)
}

function lockKey(target: WriterRow, { path }: WritePage, overlay?: Overlay): string {
  const name = `${target.space_id}/${path}`
  return overlay ? `${overlay.number}/${name}` : name
}

/** Checks the preconditions. Returns the address to which this one redirects until a page is created here. */
async function checkTarget(ctx: Ctx, input: WritePage, target: WriterRow): Promise<PageAddress | undefined> {
  const wasUsed = target.page_id === null && Boolean(target.last_version)
  const movedResponse = wasUsed ? await findMovedTo(ctx, 'page', input) : undefined
  if (movedResponse) {
    const { keepsRedirect, preconditions } = input
    const conditions = keepsRedirect ? { ...preconditions, ifNoneMatch: '*' as const } : preconditions
    checkNotMoved(movedResponse.extras.members?.movedTo, conditions, movedResponse.message)
  }
  checkPreconditions(target.page_id === null ? undefined : toCurrent(target), input.preconditions)
  if (target.page_id === null) checkNewPath(input.path)
  if (input.metadata && target.page_id !== null) throw onlyOnCreate()
  return findMovedAddress(movedResponse)
}

/** Compares the preconditions with the version that the previous writer in the queue has written. */
function checkLatest(ctx: PagesCtx, input: WritePage, writerRow: WriterRow): void {
  const latest = ctx.pages.latest.get(lockKey(writerRow, input))
  // If the page was deleted meanwhile, its last version does not determine the next one.
  if (latest && writerRow.page_id !== null && latest.version > writerRow.version) {
    checkPreconditions(latest, input.preconditions)
  }
}

/** One attempt at step 5; undefined: overtaken. */
async function storeInTransaction(
  ctx: PagesCtx,
  input: CheckedWrite,
  target: WriterRow,
  draft: Draft,
): Promise<WrittenPage | undefined> {
  const packedData = await packRevision(ctx, input.body, target)
  const buildOutcome = (version: number) => {
    const latest = pageRow(ctx, input, target, draft, version)
    const created = target.page_id === null
    const { restoredFrom, metadata = [], redirectEnded } = input
    const page = {
      ...toPage(latest, target.space_slug, ctx),
      ...(restoredFrom !== undefined && { restoredFrom }),
      ...(created &&
        metadata.length > 0 && { metadata: Object.fromEntries(metadata.map(({ key, operand }) => [key, operand])) }),
      ...(created && redirectEnded && { redirectEnded }),
    }
    return { latest, written: { page, created } satisfies WrittenPage }
  }
  const storedVersion = await unlessOvertaken(ctx, async (tx) => {
    const version = await storeDraft(tx, input, target, draft, packedData)
    if (version === undefined) return tx.noChange()
    await tx.saveIdempotentResult(buildOutcome(version).written)
    return version
  })
  const at = { spaceId: target.space_id, path: input.path, revisionId: draft.revisionId }
  const version = storedVersion ?? (await findWritten.first(ctx.db, at))?.version
  if (version === undefined) return undefined
  const { latest, written } = buildOutcome(version)
  ctx.pages.contents.put(draft.revisionId, input.body)
  ctx.pages.latest.set(lockKey(target, input), toCurrent(latest))
  return written
}

/** Returns the new version; undefined: there is a page at the address of a new one. */
async function storeDraft(
  tx: EventsCtx & Tx,
  input: WritePage,
  target: WriterRow,
  draft: Draft,
  packedData: RevisionData,
): Promise<number | undefined> {
  const { page_id: pageId, space_id: spaceId, links_digest: storedLinks } = target
  const { path, metadata } = input
  const { title, links, text, now: at } = draft
  const revision = {
    spaceId,
    path,
    revisionId: draft.revisionId,
    title,
    frontmatter: draft.frontmatter,
    note: input.note ?? null,
    size: input.body.length,
    data: packedData.data,
    restoredFrom: input.restoredFrom ?? null,
    actorId: tx.actor.id,
    now: at,
  }
  const page = { path, title, links, storedLinks, text, metadata, mentions: links.mentions }
  if (pageId === null) {
    await upsertAddresses(tx, { spaceId, path }, links)
    const row = await insertPage.first(tx.db, { ...revision, lastVersion: target.last_version ?? 0 })
    if (!row) return undefined
    const { page_id: id, version } = row
    await finishPageWrites(tx, { kind: 'page.created', spaceId, at }, [{ ...page, id, version }])
    return version
  }
  const { base, body } = packedData
  const expectedState = { expected: target.version, expectedLinks: storedLinks }
  await insertRevision.enqueue(tx.db, { ...revision, pageId, ...expectedState, base, body })
  const version = target.version + 1
  await finishPageWrites(tx, { kind: 'page.updated', spaceId, at }, [{ ...page, id: pageId, version }])
  return version
}

function onlyOnCreate(): AppError {
  const detail =
    'The page exists: `template` and `metadata` are for new ones. Change its metadata by PATCH of `/metadata`.'
  return inputError('invalid_request', detail, '/metadata', 'must be left out where the page exists')
}

function pageRow(ctx: Ctx, input: WritePage, target: WriterRow, draft: Draft, version: number): PageRow {
  const created = target.page_id === null
  return {
    path: input.path,
    title: draft.title,
    version,
    frontmatter: draft.frontmatter,
    note: input.note ?? null,
    created_at: created ? draft.now : target.created_at,
    updated_at: draft.now,
    verification: created ? null : target.verification,
    ...authorColumns(ctx.actor, created ? undefined : target),
  }
}

/** Writes a body if the page still has this version. Returns the page; undefined if it has another. */
export async function writeUnlessOvertaken(
  ctx: PagesCtx,
  { version, ...write }: PageAddress & { readonly body: Buffer; readonly version: number; readonly note?: string },
): Promise<WrittenPage['page'] | undefined> {
  try {
    const preconditions = { ifMatch: [version], ifNoneMatch: undefined, required: true }
    return (await writePage(ctx, { note: undefined, ...write, preconditions })).page
  } catch (error) {
    if (error instanceof AppError && error.code === 'precondition_failed') return undefined
    throw error
  }
}
