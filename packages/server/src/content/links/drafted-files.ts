import { fileUrl } from '@recto/contract/page-url.ts'
import type { OverlaidCtx } from '../../access/ctx.ts'
import { isMoved } from '../../access/shown-places.ts'
import { type DraftRow, listDraftsAt } from '../../access/store-drafts.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import type { FileState } from './page-files.ts'
import type { LinkTarget } from './resolve.ts'

/**
 * The states of the files of a page as the change request of the context shows them, by URLs that stay in it. Links
 * follow the files that it moves; those of a page that it creates (`isNew`) are written for the places after it.
 */
export async function withDraftedFiles(
  { db, actor, overlay }: OverlaidCtx,
  spaceId: number,
  states: Promise<readonly FileState[]>,
  { targets, isNew }: { readonly targets: readonly Pick<LinkTarget, 'slug' | 'path'>[]; readonly isNew: boolean },
): Promise<readonly FileState[]> {
  const { space, number = 0 } = overlay
  const isWithin = (slug: string) => slug === '' || slug === space
  const key = { ...toAccessSubject(actor), spaceId, number, resource: 'file' } as const
  const readAt = async (paths: readonly string[]) => (paths.length === 0 ? [] : listDraftsAt.all(db, { ...key, paths }))
  const writtenPaths = targets.filter(({ slug }) => isWithin(slug)).map(({ path }) => path)
  const [presentStates, draftsHere] = await Promise.all([states, readAt(writtenPaths)])
  const newPaths = presentStates.flatMap(([, path, file]) => (file && file.path !== path ? [file.path] : []))
  const drafts = [...draftsHere, ...(await readAt(newPaths))]
  const arrivals = new Map(drafts.map((draft) => [draft.path, draft]))
  const present = new Map(drafts.map((draft) => [draft.page_path, draft]))
  return presentStates.map(([slug, path, file]): FileState => {
    if (!isWithin(slug) || (file && file.space !== space)) return [slug, path, file]
    const [arrival, change] = [arrivals.get(path), present.get(file?.path ?? path)]
    const isFollowed = change !== undefined && isMoved(change) && !(arrival && isNew)
    const draft = isFollowed ? change : (arrival ?? change)
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
