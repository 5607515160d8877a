import type { Ctx } from '../access/ctx.ts'
import { requireSpace, type SpaceAccess } from '../access/space.ts'
import type { PageAddress } from '../http/page-address.ts'
import { listChildren } from './store-children.ts'

/** A page, a folder that contains pages, or both. */
export interface Child {
  readonly path: string
  readonly segment: string
  /** Absent if there is no page here. */
  readonly title: string | undefined
  readonly hasChildren: boolean
}

export interface Surroundings {
  readonly space: SpaceAccess
  /** The direct children of each prefix: the space (`''`), the folders above the page, and the page itself. */
  readonly below: ReadonlyMap<string, readonly Child[]>
  /** The prefixes with more children than are returned. */
  readonly cut: ReadonlySet<string>
}

const MAX_CHILDREN = 200

/**
 * The pages around a page, level by level, whether or not it exists. Two round trips, whatever the size of the space.
 */
export async function pagesAround(ctx: Ctx, { space: slug, path }: PageAddress): Promise<Surroundings> {
  const space = await requireSpace(ctx, slug, 'viewer')
  const segments = path.split('/')
  const prefixes = ['', ...segments.map((_, index) => `${segments.slice(0, index + 1).join('/')}/`)]
  const rows = await listChildren.all(ctx.db, { spaceId: space.id, prefixes, limit: MAX_CHILDREN })
  const below = new Map<string, Child[]>()
  for (const { prefix, segment, title, has_children: hasChildren } of rows) {
    const child = { path: prefix + segment, segment, title: title ?? undefined, hasChildren }
    below.set(prefix, [...(below.get(prefix) ?? []), child])
  }
  // A segment takes at most two steps.
  const isCut = (prefix: string) => (below.get(prefix)?.length ?? 0) * 2 >= MAX_CHILDREN
  return { space, below, cut: new Set(prefixes.filter(isCut)) }
}
