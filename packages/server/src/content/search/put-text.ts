import type { Tx } from '../../platform/database/transaction.ts'
import { binaryArray } from '../../platform/database/values.ts'
import type { IndexedText } from './index-text.ts'
import { addLanguages, putText } from './store.ts'

export interface TextOfPage {
  readonly pageId: number
  readonly text: IndexedText
}

/**
 * Updates the search index for pages of a space, in the transaction that changes them. Pages whose space has another
 * language by now, or whose metadata has changed, are recorded, and indexed again in the background.
 */
export async function indexPages(tx: Pick<Tx, 'db'>, spaceId: number, pages: readonly TextOfPage[]): Promise<void> {
  if (pages.length === 0) return
  const own = pages.flatMap(({ text }) => (text.ownLanguage && text.language !== 'none' ? [text.language] : []))
  if (own.length > 0) await addLanguages.enqueue(tx.db, { spaceId, languages: own })
  await putText.enqueue(tx.db, {
    spaceId,
    pageIds: pages.map(({ pageId }) => pageId),
    titles: binaryArray(
      'tsvector',
      pages.map(({ text }) => text.title),
    ),
    words: binaryArray(
      'tsvector',
      pages.map(({ text }) => text.all),
    ),
    languages: pages.map(({ text }) => text.language),
    own: pages.map(({ text }) => text.ownLanguage),
    seqs: pages.map(({ text }) => text.metadataSeq),
  })
}
