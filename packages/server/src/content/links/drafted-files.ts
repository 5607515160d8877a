import { fileUrl } from '@recto/contract/page-url.ts'
import type { OverlaidCtx } from '../../access/ctx.ts'
import { type DraftRow, listDrafts } from '../../access/store-drafts.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import type { FileState } from './page-files.ts'

/** The states of the files of a page as the change request of the context shows them, by URLs that stay in it. */
export async function withDraftedFiles(
  { db, actor, overlay }: OverlaidCtx,
  spaceId: number,
  states: readonly FileState[],
): Promise<readonly FileState[]> {
  const { space, number = 0 } = overlay
  const isWithin = (slug: string) => slug === '' || slug === space
  if (!states.some(([slug]) => isWithin(slug))) return states
  const at = states.flatMap(([, path, file]) => [path, file?.path ?? path])
  const drafts = await listDrafts(db, toAccessSubject(actor), { spaceId, number, resource: 'file', at })
  const byPath = (key: 'path' | 'page_path') => new Map(drafts.map((draft) => [draft[key], draft]))
  const [arrivals, changes] = [byPath('path'), byPath('page_path')]
  return states.map(([slug, path, file]): FileState => {
    if (!isWithin(slug) || (file && file.space !== space)) return [slug, path, file]
    const draft = arrivals.get(path) ?? changes.get(file?.path ?? path)
    const shownFile = draft && file !== undefined ? toState(draft, space) : file
    return [slug, path, shownFile && { ...shownFile, url: `${fileUrl(space, shownFile.path)}?changeRequest=${number}` }]
  })
}

function toState(draft: DraftRow, space: string): FileState[2] {
  const { content_type: contentType, width, height, is_deleted: isDeleted } = draft
  const path = draft.path ?? draft.page_path
  return isDeleted || path === null || contentType === null
    ? null
    : { space, path, url: '', contentType, width, height }
}
