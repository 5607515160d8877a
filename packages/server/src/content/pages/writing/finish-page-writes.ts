import type { EventsCtx } from '../../../events/feed/ctx.ts'
import { moveEvents, type PageEvent } from '../../../events/feed/event.ts'
import { recordEvents } from '../../../events/feed/record.ts'
import type { Tx } from '../../../platform/database/transaction.ts'
import { replaceAllLinks } from '../../links/replace.ts'
import type { PageLinks } from '../../links/targets.ts'
import { createAllMetadata } from '../../metadata/create-many.ts'
import type { Operation } from '../../metadata/patch.ts'
import type { IndexedText } from '../../search/index-text.ts'
import { indexPages } from '../../search/put-text.ts'

/** A page as the transaction has just stored it. */
export interface StoredPage extends Pick<PageEvent['data'], 'path' | 'title' | 'version'> {
  readonly id: number
  readonly links: PageLinks
  /** The digest of the stored links (null: none); absent if the writer does not know it. */
  readonly storedLinks?: Buffer | null
  /** Absent if neither the title nor the body has changed. */
  readonly text?: IndexedText | undefined
  /** The first metadata of a new page, already checked. */
  readonly metadata?: readonly Operation[] | undefined
  /** The people whom the inbox tells that the page mentions them. */
  readonly mentions?: readonly string[]
  /** Where a moved page was, and as what. */
  readonly from?: { readonly spaceId: number } & Pick<PageEvent['data'], 'path' | 'title' | 'version'>
}

/**
 * The end of every write of pages, in its transaction: stores search text, first metadata and links, and records an
 * event for each page. Creating, updating, restoring and moving pages end here, for one page as for many. Links come
 * last: only their statement has a result that is needed, and all others are sent with it.
 */
export async function finishPageWrites(
  tx: EventsCtx & Tx,
  write: { readonly kind: PageEvent['kind']; readonly spaceId: number; readonly at: Date },
  pages: readonly StoredPage[],
): Promise<void> {
  const { kind, spaceId, at } = write
  const texts = pages.flatMap(({ id, text }) => (text ? [{ pageId: id, text }] : []))
  await indexPages(tx, spaceId, texts)
  await recordEvents(
    tx,
    pages.flatMap(({ id: pageId, path, title, version, from, mentions }) => {
      const about = { kind, spaceId, pageId, actor: tx.actor, at, data: { path, title, version } }
      const event = mentions && mentions.length > 0 ? { ...about, mentions } : about
      return from ? moveEvents(event, from) : [event]
    }),
  )
  if (kind === 'page.created') tx.afterCommit(() => tx.events.pagesAdded(spaceId, pages.length))
  const describedPages = pages.map(({ metadata = [], ...page }) => ({ ...page, metadata }))
  await createAllMetadata(tx, spaceId, describedPages, at)
  const pagesWithNewLinks = pages.filter(({ links, storedLinks }) => !isDigest(storedLinks, links.digest))
  const linking = pagesWithNewLinks.map(({ id, links }) => ({ pageId: id, links }))
  if (linking.length > 0) await replaceAllLinks(tx, { spaceId }, linking)
}

/** Whether the stored digest is that of the new links: then no link has changed. */
function isDigest(storedDigest: Buffer | null | undefined, digest: Buffer | undefined): boolean {
  return storedDigest === null
    ? digest === undefined
    : storedDigest !== undefined && digest?.equals(storedDigest) === true
}
