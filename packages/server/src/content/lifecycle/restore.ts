import type { PageAddress } from '@recto/contract/page-address.ts'
import { unpackBody } from '@recto/lib/encoding/body-codec.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { authorColumns } from '../../access/authors.ts'
import type { OverlaidCtx } from '../../access/ctx.ts'
import { findMovedTo } from '../../access/missing.ts'
import { isOverlaid } from '../../access/overlay.ts'
import { withPageLock } from '../../access/page.ts'
import type { Resource } from '../../access/resource.ts'
import type { EventsCtx } from '../../events/feed/ctx.ts'
import { recordEvents } from '../../events/feed/record.ts'
import { inTransaction, type Tx, withResultMapped } from '../../platform/database/transaction.ts'
import { findMovedAddress } from '../../platform/http/redirects.ts'
import { fileEventData, toFile } from '../files/file.ts'
import type { FileAfterWrite } from '../files/schema.ts'
import * as files from '../files/store.ts'
import { usersOfFile } from '../files/users.ts'
import { type WrittenFile, writeFile } from '../files/write.ts'
import { upsertAddresses } from '../links/replace.ts'
import { countPageKeys } from '../metadata/store-keys.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { toPage } from '../pages/page.ts'
import type { WrittenPage } from '../pages/page-write.ts'
import type { PageAfterWrite } from '../pages/schema.ts'
import * as pages from '../pages/store.ts'
import { writePage } from '../pages/write.ts'
import { type BodyData, deriveBody } from '../pages/writing/derive-body.ts'
import { finishPageWrites } from '../pages/writing/finish-page-writes.ts'
import { findTrashed, type Trashed, type TrashedAddress } from './find-trashed.ts'
import { toEvent } from './located.ts'
import { restoreRow } from './store-restore.ts'

const NOTE = 'Restored from the trash'

/** The new version. Its id is known before the first attempt, so that a lost response is resolved by looking for it. */
interface Return {
  readonly versionId: string
  readonly now: Date
}

/**
 * Restores the page that was deleted last at an address, with its id, history and metadata, as the next version of
 * the address, or proposes it. Throws `page_exists` if there is another page.
 */
export async function restorePage(ctx: PagesCtx, address: TrashedAddress): Promise<PageAfterWrite> {
  if (isOverlaid(ctx)) return proposeRestore(ctx, address)
  const trashedPage = await findTrashed(ctx, 'page', address)
  return withPageLock(ctx.pages.writers, `${trashedPage.space_id}/${address.path}`, () =>
    restore(ctx, 'page', address, trashedPage, async (page) => {
      const body = await deriveBody(ctx.pages.markdown, {
        from: { space: page.space_slug, path: page.path, publicOrigin: ctx.config.publicUrl },
        title: page.title,
        body: (await unpackBody(page.data)).toString('utf8'),
        language: page.space_language,
        metadata: page.indexed_metadata,
      })
      return (tx, back) => restorePageOnce(tx, page, body, back)
    }),
  )
}

/** Restores the file that was deleted last at an address, or proposes it; `file_exists` if there is another file. */
export async function restoreFile(ctx: PagesCtx, address: TrashedAddress): Promise<FileAfterWrite> {
  if (isOverlaid(ctx)) return proposeFileRestore(ctx, address)
  const trashedItem = await findTrashed(ctx, 'file', address)
  return restore(ctx, 'file', address, trashedItem, async (file) => (tx, back) => restoreFileOnce(tx, file, back))
}

/** One attempt: undefined when what was read was restored or removed, or its address used, since. */
type Attempt<Result> = (tx: EventsCtx & Tx, back: Return) => Promise<Result | undefined>

async function restore<K extends Resource, Result extends object>(
  ctx: PagesCtx,
  resource: K,
  address: TrashedAddress,
  seen: Trashed[K],
  prepare: (trashedRow: Trashed[K]) => Promise<Attempt<Result>>,
): Promise<Result & { redirectEnded?: PageAddress }> {
  for (let trashedRow = seen; ; trashedRow = await findTrashed(ctx, resource, address)) {
    const attempt = await prepare(trashedRow)
    // The attempt fails if the address redirects to something else by then.
    const redirectEnded = findMovedAddress(await findMovedTo(ctx, resource, address))
    const back = { versionId: uuid7(), now: ctx.now() }
    const restoredRow = await inTransaction(ctx, async (tx) => {
      const item = await attempt(tx, back)
      if (!item) return tx.noChange()
      const result = { ...item, ...(redirectEnded && { redirectEnded }) }
      await tx.saveIdempotentResult(result)
      return result
    })
    if (restoredRow) return restoredRow
  }
}

async function restorePageOnce(
  tx: EventsCtx & Tx,
  page: Trashed['page'],
  { links, text }: BodyData,
  { versionId, now }: Return,
): Promise<PageAfterWrite | undefined> {
  const { space_id: spaceId, id, path, title } = page
  await upsertAddresses(tx, { spaceId, path }, links)
  const row = await restoreRow.page.first(tx.db, toArgs(tx, page, { versionId, now }))
  const at = { spaceId, path, revisionId: versionId }
  const knownRow = row ?? (tx.commitOutcomeUnknown ? await pages.findWritten.first(tx.db, at) : undefined)
  if (!knownRow) return undefined
  const { version } = knownRow
  if (row) {
    const restoredRow = { id, path, title, version, links, storedLinks: null, text }
    await finishPageWrites(tx, { kind: 'page.restored', spaceId, at: now }, [restoredRow])
    await countPageKeys(tx, { spaceId, pageIds: [id] }, 1)
  }
  const { verification: last } = page
  const verification = last && { ...last, version: last.version === page.version ? version : last.version }
  const columns = { ...page, ...authorColumns(tx.actor, page), verification, version, note: NOTE, updated_at: now }
  return toPage(columns, page.space_slug, tx)
}

async function restoreFileOnce(
  tx: EventsCtx & Tx,
  file: Trashed['file'],
  { versionId, now }: Return,
): Promise<FileAfterWrite | undefined> {
  const { space_id: spaceId, id, path } = file
  const row = await restoreRow.file.first(tx.db, toArgs(tx, file, { versionId, now }))
  const at = { spaceId, path, versionId }
  const knownRow = row ?? (tx.commitOutcomeUnknown ? await files.findWritten.first(tx.db, at) : undefined)
  if (!knownRow) return undefined
  const columns = { ...file, ...authorColumns(tx.actor, file), version: knownRow.version, updated_at: now }
  if (row) {
    const data = { ...fileEventData(columns), restored: true }
    await recordEvents(tx, [toEvent(tx, 'file.created', { spaceId, id, data, at: now })])
  }
  return toFile(columns, file.space_slug, tx.config.publicUrl, await usersOfFile(tx, spaceId, id))
}

function toArgs({ actor }: EventsCtx, row: Trashed[Resource], { versionId, now }: Return) {
  const { space_id: spaceId, id, path, version: expected, address } = row
  return { spaceId, id, path, expected, ...address, actorId: actor.id, versionId, note: NOTE, now }
}

/** There is nothing at the address: it would need `If-Match`. */
const preconditions = { ifMatch: undefined, ifNoneMatch: undefined, required: true }

/**
 * Keeps the return of a page from the trash as a draft of the change request: a new page with the text and the metadata
 * of the deleted one, and with its version, by which the merge knows that it restores it.
 */
async function proposeRestore(ctx: OverlaidCtx<PagesCtx>, address: TrashedAddress): Promise<PageAfterWrite> {
  const { data, version: trashedVersion, doc } = await findTrashed(ctx, 'page', address)
  const metadata = Object.entries(doc).map(([key, operand]) => ({ op: 'set', key, operand, path: '' }) as const)
  const pageCtx = withResultMapped(ctx, ({ page }: WrittenPage) => page)
  const restoring = { ...address, trashedVersion, body: await unpackBody(data), note: undefined, preconditions }
  return (await writePage(pageCtx, { ...restoring, ...(metadata.length > 0 && { metadata }) })).page
}

/** The same for a file, with its bytes. */
async function proposeFileRestore(ctx: OverlaidCtx<PagesCtx>, address: TrashedAddress): Promise<FileAfterWrite> {
  const { version: trashedVersion, digest, size, ...row } = await findTrashed(ctx, 'file', address)
  const type = { contentType: row.content_type, width: row.width, height: row.height }
  const fileCtx = withResultMapped(ctx, ({ file }: WrittenFile) => file)
  const upload = { id: uuid7(), inS3: false, digest, size, type }
  return (await writeFile(fileCtx, { ...address, trashedVersion, preconditions }, upload)).file
}
