import { AppError } from '@recto/contract/errors.ts'
import { rankPaths, requireSpace } from '../../../access/space.ts'
import { readChangeRequest, readChanges, readDiff } from '../../../content/change-requests/changes.ts'
import type { RequestAddress } from '../../../content/change-requests/requests.ts'
import type { ChangedPage } from '../../../content/change-requests/schema.ts'
import type { PagesCtx } from '../../../content/pages/ctx.ts'
import { readPage } from '../../../content/pages/read.ts'
import type { Space } from '../../../content/spaces/schema.ts'
import { readThreads, renderText } from '../comments/read-threads.ts'
import { compareRevisions, type Difference } from '../history/compare.ts'
import { orFormError, type Shown } from '../screen.ts'

export interface RequestView extends Omit<Awaited<ReturnType<typeof readForScreen>>, 'space'>, Shown {
  readonly space: Space
  /** The page whose change alone is shown. */
  readonly path: string | undefined
  readonly as: Way
}

/** So many differences are on one screen; the others have screens of their own. */
const MAX_SHOWN = 20

type Way = 'source' | 'rendered'

/** A change of a page as a screen shows it. */
export interface ShownChange extends ChangedPage {
  /** Whether the caller may merge it. */
  readonly isMergeable: boolean
  /** Absent: on a screen of its own; with an error: there is none now. */
  readonly comparison?: AppError | { readonly diff?: Difference; readonly metadata: readonly MetadataChange[] }
}

/** A key of metadata before and after; absent: no value. */
interface MetadataChange {
  readonly key: string
  readonly before: unknown
  readonly after: unknown
}

/** A change request with the changes that the caller can read; with `path`, only that page is compared. */
export async function readForScreen(
  ctx: PagesCtx,
  address: RequestAddress,
  { path, as }: { readonly path?: string | undefined; readonly as: Way },
) {
  const [space, request, list] = await Promise.all([
    requireSpace(ctx, address.space, 'viewer'),
    readChangeRequest(ctx, address),
    orFormError(() => readChanges(ctx, address)),
  ])
  // The drafts of a request that ended long ago are deleted.
  const items = list instanceof AppError ? [] : list.items
  const ranks = await rankPaths(
    ctx,
    space.id,
    items.flatMap((change) => [change.path, change.movedFrom ?? change.path]),
  )
  const writable = new Set(ranks.filter(({ rank }) => rank >= 2).map((ranked) => ranked.path))
  const comparedPaths = path === undefined ? items.slice(0, MAX_SHOWN).map((change) => change.path) : [path]
  const changes: ShownChange[] = []
  for (const change of items) {
    const isMergeable =
      request.state !== 'closed' &&
      change.mergedVersion === null &&
      writable.has(change.path) &&
      writable.has(change.movedFrom ?? change.path)
    const isCompared = comparedPaths.includes(change.path) && change.mergedVersion === null
    const comparison = isCompared ? await orFormError(() => compareChange(ctx, address, change, as)) : undefined
    changes.push({ ...change, isMergeable, ...(comparison && { comparison }) })
  }
  return {
    space,
    request,
    changes,
    description: await renderText(ctx, request.description),
    threads: await readThreads(ctx, address),
    mayManage: request.author.id === ctx.actor.id || space.rank >= 3,
    isAuthor: request.author.id === ctx.actor.id,
  }
}

async function compareChange(ctx: PagesCtx, address: RequestAddress, change: ChangedPage, as: Way) {
  if (change.resource === 'file') {
    const { metadata } = await readDiff(ctx, { ...address, path: change.path, resource: 'file' })
    return { metadata }
  }
  const page = { space: address.space, path: change.path, links: as === 'rendered' }
  const metadata =
    change.metadataKeys.length > 0
      ? (await readDiff(ctx, { ...address, path: change.path, resource: 'page' })).metadata
      : []
  if (change.kind === 'metadata' || change.kind === 'moved') return { metadata }
  const [before, after] = await Promise.all([
    change.baseVersion === null
      ? undefined
      : readPage(ctx, { ...page, path: change.movedFrom ?? change.path, version: change.baseVersion }),
    change.kind === 'deleted' ? undefined : readPage({ ...ctx, overlay: address }, page),
  ])
  return { metadata, diff: await compareRevisions(ctx, { before, after, as }) }
}
