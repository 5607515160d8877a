import { readPlaces, type ShownPlaces } from '../../access/shown-places.ts'
import { listDrafts } from '../../access/store-drafts.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { listFileUsers } from '../files/store-uses.ts'
import { hasOtherLinks, listChangedSources, listShownLinks } from '../links/shown-links.ts'
import type { LinkTargetRow } from '../links/store-read.ts'
import { listLinksTo } from '../links/store-reports.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import type { RequestSpace } from './plan-changes.ts'

const AS_THEY_ARE: ShownPlaces = { drafts: [], arrivals: new Map(), present: new Map() }
const FROM_START = { afterPath: '', afterOrd: 0, limit: 5_000 }
/** Pages that refer to one deleted file. */
const MAX_USERS = 100

/**
 * The pages in which the merge of a request breaks links, as far as the caller can read: those with links to what it
 * deletes, and changed ones with links that lead nowhere only in their drafts.
 */
export async function listBreakingPages(ctx: PagesCtx, space: RequestSpace, number: number): Promise<string[]> {
  const [subject, { id: spaceId, slug }] = [toAccessSubject(ctx.actor), space]
  const overlaidCtx = { ...ctx, overlay: { space: slug, number } }
  const places = await readPlaces(overlaidCtx, spaceId, true)
  const files = await listDrafts(ctx.db, subject, { spaceId, number, resource: 'file' })
  const isLeft = (path: string | null) => !files.some((other) => !other.is_deleted && other.path === path)
  const deletedFiles = files.filter((file) => file.is_deleted && isLeft(file.page_path))
  const deletedPaths = new Set(deletedFiles.map((file) => file.page_path))
  const pageIds = places.drafts.flatMap((draft) => (draft.is_deleted ? (draft.page_id ?? []) : []))
  const ids = deletedFiles.flatMap((file) => file.file_id ?? [])
  const sources = await listChangedSources(overlaidCtx, space, places)
  const unchanged = sources.map(({ page_id }) => ({ page_id }))
  const [presentSources, links, users] = await Promise.all([
    listShownLinks(ctx, space, AS_THEY_ARE, unchanged),
    listLinksTo(ctx.db, subject, { ...FROM_START, spaceId, pageIds, taken: [...places.arrivals.keys()] }),
    ids.length > 0 ? listFileUsers(ctx.db, subject, { spaceId, ids, limit: MAX_USERS }) : [],
  ])
  const changedPaths = sources.flatMap(({ path, draft, links }, index) => {
    const before = new Set(presentSources[index]?.links.flatMap(toBroken))
    const references = (draft.file_links ?? []) as readonly { slug: string; path: string }[] // of its body
    const usesDeleted = references.some((file) => file.slug === '' && deletedPaths.has(file.path))
    return usesDeleted || links.flatMap(toBroken).some((target) => !before.has(target)) ? [path] : []
  })
  const linkingPaths = links.map(({ source_path }) => source_path)
  const userPaths = users.flatMap((user) => (user.space === slug ? user.path : []))
  const otherPaths = [...linkingPaths, ...userPaths].filter((path) => !hasOtherLinks(places.present.get(path)))
  return [...new Set([...changedPaths, ...otherPaths])].sort()
}

/** The target of a link that leads nowhere. */
function toBroken({ exists, maybe_file, now_space, now_path }: LinkTargetRow): string[] {
  return exists === false && !maybe_file ? [`${now_space}/${now_path}`] : []
}
