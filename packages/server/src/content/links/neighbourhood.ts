import type { PageAddress } from '@recto/contract/page-address.ts'
import type { Ctx } from '../../access/ctx.ts'
import { requirePage } from '../../access/page.ts'
import { readableParts } from '../../access/space.ts'
import { type ReadableParts, toAccessSubject } from '../../access/visibility.ts'
import type { Db } from '../../platform/database/database.ts'
import type { Neighbourhood } from './schema.ts'
import { findAddress, listEdges, listNeighbours, type NodeId, readNodes } from './store-neighbourhood.ts'

/** More nodes could not be drawn, or read. */
const MAX_NODES = 200
const MAX_EDGES = 2_000
/** The maximum of links, and of backlinks, of one page: a hub must not displace the others. */
const FAN = 50

/** The pages within `depth` links of a page, in either direction, as far as the caller can read. */
export async function readNeighbourhood(
  ctx: Ctx,
  input: PageAddress & { readonly depth: number },
): Promise<Neighbourhood> {
  const page = await requirePage(ctx, input, 'viewer')
  const readable = await readableParts(ctx)
  const { found, truncated } = await searchAround(ctx.db, readable, await findAddress(ctx.db, page), input.depth)
  const [nodes, edges] = await Promise.all([
    readNodes(ctx.db, toAccessSubject(ctx.actor), found),
    listEdges(ctx.db, readable, found, MAX_EDGES + 1),
  ])
  const place = new Map(
    nodes.map(({ n }, index) => {
      const node = found[n - 1]
      return [`${node?.id} ${node?.slug}`, index]
    }),
  )
  const visibleEdges = edges.slice(0, MAX_EDGES).flatMap((row) => {
    const from = place.get(`${row.source} `)
    const to = place.get(`${row.target} ${row.target_slug}`)
    const { via_space: space, via_path: path } = row
    const via = space === null || path === null ? null : { space, path }
    return from === undefined || to === undefined ? [] : [{ from, to, via }]
  })
  return {
    space: page.space,
    path: page.path,
    depth: input.depth,
    nodes: nodes.map(({ n, ...node }) => ({ ...node, distance: found[n - 1]?.distance ?? 0 })),
    edges: visibleEdges,
    truncated: truncated || edges.length > MAX_EDGES,
  }
}

/** Breadth-first search: the nodes within `depth` links of the first ones, nearest first. */
async function searchAround(db: Db, readable: ReadableParts, first: readonly NodeId[], depth: number) {
  const nodes: (NodeId & { readonly distance: number })[] = []
  let truncated = false
  let ring = first
  for (let distance = 0; ring.length > 0; distance++) {
    for (const { id, space_id, slug } of ring) nodes.push({ id, space_id, slug, distance })
    if (distance === depth) break
    const capacity = MAX_NODES - nodes.length
    const next = await listNeighbours(db, { ...readable, from: ring, known: nodes, fan: FAN, limit: capacity + 1 })
    truncated ||= next.length > capacity || next.some((node) => node.more)
    ring = next.slice(0, capacity)
  }
  return { found: nodes, truncated }
}
