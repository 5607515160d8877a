import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { PageAccess } from '../../access/page.ts'
import type { EventsCtx } from '../../events/feed/ctx.ts'
import { recordEvents } from '../../events/feed/record.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import type { Operation } from './patch.ts'
import { insertDocuments } from './store-create.ts'

/** A page that was created in this transaction, with validated metadata. */
export interface PageWithMetadata extends Pick<PageAccess, 'id' | 'path' | 'title' | 'version'> {
  readonly metadata: readonly Operation[]
}

/** Writes the metadata of pages of one space that were created in this transaction, in one statement. */
export async function createAllMetadata(
  tx: EventsCtx & Tx,
  spaceId: number,
  pages: readonly PageWithMetadata[],
  now: Date,
): Promise<void> {
  const pagesWithMetadata = pages.filter(({ metadata }) => metadata.length > 0)
  if (pagesWithMetadata.length === 0) return
  await insertDocuments(tx, {
    spaceId,
    documents: pagesWithMetadata.map(({ id, metadata }) => ({
      pageId: id,
      patchId: uuid7(),
      values: metadata.map(({ key, operand }) => [key, operand] as const),
    })),
    actorId: tx.actor.id,
    via: tx.via,
    now,
  })
  await recordEvents(
    tx,
    pagesWithMetadata.map(({ id, path, title, version, metadata }) => ({
      kind: 'page.metadata.updated' as const,
      spaceId,
      pageId: id,
      actor: tx.actor,
      at: now,
      data: { path, title, version, changedKeys: metadata.map(({ key }) => key) },
    })),
  )
}
