import type { Ctx } from '../../access/ctx.ts'
import { requireSpace } from '../../access/space.ts'
import { unauthorized } from '../../identity/principals/authenticate.ts'
import { type Changes, type PlacedChanges, type ReadChanges, readChanges, readPlaced } from './changes.ts'
import type { Feed } from './feed.ts'
import type { Follower } from './follower.ts'

/** Follows the feed, then reads the existing events: in this order, so that no event is missed between the two. */
export async function joinFeed(
  ctx: Ctx,
  input: ReadChanges,
  feed: Feed,
  { isOnDemand = false }: { readonly isOnDemand?: boolean } = {},
): Promise<{ readonly follower: Follower; readonly first: PlacedChanges }> {
  const space = input.space === undefined ? undefined : await requireSpace(ctx, input.space, 'viewer')
  const follower = await feed.follow({ actor: ctx.actor, space: space?.id, kinds: input.kinds, isOnDemand })
  try {
    return { follower, first: await readPlaced(ctx, input) }
  } catch (error) {
    follower[Symbol.dispose]()
    throw error
  }
}

/** Long polling: the existing events, else the first new one. Rights are checked again before the response. */
export async function pollChanges(
  ctx: Ctx,
  input: ReadChanges,
  { feed, seconds, left }: { readonly feed: Feed; readonly seconds: number; readonly left: Promise<void> },
): Promise<Changes> {
  const before = await readChanges(ctx, input)
  if (before.items.length > 0) return before
  const until = Date.now() + seconds * 1000
  // The position of `now` is fixed by the first read.
  const { follower, first } = await joinFeed(ctx, { ...input, since: before.nextCursor }, feed)
  left.then(() => follower[Symbol.dispose]())
  using _ = follower
  const limit = input.limit ?? 50
  let items = first.placed
  let hasMore = first.hasMore
  while (items.length === 0 && Date.now() < until && !feed.closed && !follower.disposed) {
    await follower.wait(until - Date.now())
    if (follower.lost !== undefined) break
    const takenChanges = follower.take(first.end, limit + 1)
    items = takenChanges.slice(0, limit)
    hasMore = takenChanges.length > limit
  }
  if (items.length === 0 && !follower.disposed) await follower.look()
  if (follower.lost === 'credential') throw unauthorized('The credential has ended.', 'invalid_token')
  // Throws the error of a space that cannot be read any more.
  if (follower.lost === 'space') await requireSpace({ ...ctx, actor: follower.actor }, input.space ?? '', 'viewer')
  return { items: items.map(({ change }) => change), nextCursor: items.at(-1)?.cursor ?? first.nextCursor, hasMore }
}
