import { AppError } from '../../../../contract/src/errors.ts'
import type { PageAddress } from '../../../../contract/src/page-address.ts'
import { unpackBody } from '../../../../lib/src/encoding/body-codec.ts'
import { uuid7 } from '../../../../lib/src/encoding/uuid7.ts'
import { authorColumns } from '../../access/authors.ts'
import type { Ctx } from '../../access/ctx.ts'
import { explainMissing } from '../../access/missing-page.ts'
import { withPageLock } from '../../access/page-lock.ts'
import { requireRank } from '../../access/space.ts'
import { toAccessSubject, toSpaceAddress } from '../../access/visibility.ts'
import type { EventsCtx } from '../../events/feed/ctx.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import { findMovedAddress } from '../../platform/http/addresses/moved-address.ts'
import { upsertAddresses } from '../links/replace.ts'
import { countPageKeys } from '../metadata/store-keys.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { type Page, toPage } from '../pages/page.ts'
import type { PageAfterWrite } from '../pages/schema.ts'
import { findWritten, type WrittenRow } from '../pages/store.ts'
import { type BodyData, deriveBody } from '../pages/writing/derive-body.ts'
import { finishPageWrites } from '../pages/writing/finish-page-writes.ts'
import { readTrashed, restoreTrashed, type TrashedRow } from './store-trash.ts'

const NOTE = 'Restored from the trash'

interface Trashed extends TrashedRow {
  readonly id: number
}

/**
 * The new revision; its id is generated before the first attempt, so that a lost response is resolved by looking for
 * it.
 */
interface Return extends Pick<BodyData, 'links' | 'text'> {
  readonly revisionId: string
  readonly now: Date
}

/**
 * Restores the page that was deleted last at an address, with its id, history and metadata, as the next version of
 * the address. Throws `page_exists` if there is another page.
 */
export async function restorePage(ctx: PagesCtx, address: PageAddress): Promise<PageAfterWrite> {
  const seen = await findTrashedPage(ctx, address)
  return withPageLock(ctx.pages.writers, `${seen.space_id}/${address.path}`, async () => {
    for (let page = seen; ; page = await findTrashedPage(ctx, address)) {
      const derived = await deriveBody(ctx.pages.markdown, {
        from: { space: page.space_slug, path: page.path, publicOrigin: ctx.config.publicUrl },
        title: page.title,
        body: (await unpackBody(page.data)).toString('utf8'),
        language: page.space_language,
        metadata: page.indexed_metadata,
      })
      const missing = (await explainMissing(ctx, address)).errorFor('viewer')
      const redirectEnded = findMovedAddress(missing)
      const back: Return = { ...derived, revisionId: uuid7(), now: ctx.now() }
      const done = await inTransaction(ctx, async (tx) => {
        const row = await restoreOnce(tx, page, back)
        if (!row) return tx.noChange()
        const result = { ...restored(ctx, page, back, row), ...(redirectEnded && { redirectEnded }) }
        await tx.saveIdempotentResult(result)
        return result
      })
      if (done) return done
    }
  })
}

async function findTrashedPage(ctx: Ctx, address: PageAddress): Promise<Trashed> {
  const args = { ...toAccessSubject(ctx.actor), slug: address.space, path: address.path }
  const found = await readTrashed[toSpaceAddress(address.space)].first(ctx.db, args)
  const row = requireRank(found, address.space, 'editor')
  if (row.page_id !== null) {
    throw new AppError('page_exists', `There is a page at \`${address.path}\`: move or delete it first.`)
  }
  if (row.id === null) throw new AppError('not_found', `No page of \`${address.path}\` is in the trash.`)
  return { ...row, id: row.id }
}

/** One attempt: undefined when the page was restored or removed, or its address taken, since it was read. */
async function restoreOnce(tx: EventsCtx & Tx, page: Trashed, back: Return): Promise<WrittenRow | undefined> {
  const { space_id: spaceId, id: pageId, path, title } = page
  const { revisionId, links, now } = back
  const at = { spaceId, space: page.space_slug, path }
  await upsertAddresses(tx, at, links)
  const written = {
    spaceId,
    pageId,
    path,
    expected: page.version,
    actorId: tx.actor.id,
    revisionId,
    note: NOTE,
    now,
  }
  const row = await restoreTrashed.first(tx.db, written)
  if (!row) return tx.commitOutcomeUnknown ? findWritten.first(tx.db, written) : undefined
  const restored = {
    id: pageId,
    path,
    title,
    version: row.version,
    links,
    storedLinks: null,
    text: back.text,
  }
  await finishPageWrites(tx, { kind: 'page.restored', spaceId, at: now }, [restored])
  await countPageKeys(tx, { spaceId, pageIds: [pageId] }, 1)
  return row
}

function restored(ctx: Ctx, page: Trashed, { now }: Return, { version }: WrittenRow): Page {
  const row = { ...page, ...authorColumns(ctx.actor, page), version, note: NOTE, updated_at: now }
  return toPage(row, page.space_slug, ctx.config.publicUrl)
}
