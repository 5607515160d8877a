import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { CreatedPage } from '../../pages/many/create-many.ts'
import type { CheckedPage } from '../bundle/bundle-check.ts'
import type { FindAuthor } from './import-authors.ts'
import type { MetadataEventRow } from './store-import.ts'

/** The history of the metadata of the pages that were created. */
export function toMetadataEvents(
  createdPages: readonly CreatedPage[],
  pages: readonly CheckedPage[],
  findAuthor: FindAuthor,
): MetadataEventRow[] {
  const ids = new Map(createdPages.map(({ path, pageId }) => [path, pageId]))
  return pages.flatMap(({ path, metadataHistory = [] }) => {
    const pageId = ids.get(path)
    if (pageId === undefined) return []
    // What one author changed at one time was one patch.
    const patches = new Map<string, string>()
    return metadataHistory.map(
      ({ key, op, existed, previousValue, previousLength, length, createdAt, createdBy }, index) => {
        const patch = JSON.stringify([createdAt, createdBy])
        const patchId = patches.get(patch) ?? uuid7()
        patches.set(patch, patchId)
        const author = findAuthor(createdBy)
        if (!author) throw new RangeError('every author was looked up')
        return {
          ...{
            page_id: pageId,
            seq: index + 1,
            key,
            op,
            existed,
            patch_id: patchId,
            actor_id: author.id,
            via: author.via,
          },
          ...(previousValue !== undefined && { previous: previousValue }),
          ...{ previous_length: previousLength, length, created_at: createdAt },
        }
      },
    )
  })
}
