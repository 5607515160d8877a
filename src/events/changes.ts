import { isOrgAdmin } from '../access/caller.ts'
import type { Ctx } from '../access/ctx.ts'
import { requireSpace } from '../access/space.ts'
import { onlySpace, sightOf, visibleSpaces } from '../access/visibility.ts'
import { AppError } from '../errors.ts'
import { pageUrl } from '../http/page-address.ts'
import { windowOf } from '../http/paging.ts'
import { EVENT_KINDS, type EventKind } from './event.ts'
import type { Change } from './schema.ts'
import { type ChangeRow, currentPosition, type FeedPosition, listChanges } from './store-changes.ts'

export interface ReadChanges {
  /** A cursor of this feed, `now`, or absent for the beginning. */
  readonly since?: string
  readonly space?: string
  readonly kinds?: readonly EventKind[]
  readonly limit?: number
}

export interface Changes {
  readonly items: Change[]
  /** Where to go on: always there, for there may always be more. */
  readonly nextCursor: string
  readonly hasMore: boolean
}

const FEED = 'changes'
const BEGINNING: FeedPosition = { transactionId: '0', seq: -1 }

/** An event of the feed, and where to go on behind it. */
export interface PlacedChange {
  readonly change: Change
  readonly cursor: string
}

/** What happened behind a position, as far as the caller may see it now. */
export async function readChanges(ctx: Ctx, input: ReadChanges): Promise<Changes> {
  const { placed, nextCursor, hasMore } = await readPlaced(ctx, input)
  return { items: placed.map(({ change }) => change), nextCursor, hasMore }
}

/** The same, with a cursor behind each event. */
export async function readPlaced(
  ctx: Ctx,
  input: ReadChanges,
): Promise<{
  readonly placed: readonly PlacedChange[]
  readonly nextCursor: string
  readonly hasMore: boolean
}> {
  const space = input.space === undefined ? undefined : await requireSpace(ctx, input.space, 'viewer')
  const limit = input.limit ?? 50
  const after = await positionOf(ctx, input.since)
  const rows = await listChanges(ctx.db, {
    after,
    spaces: space ? onlySpace(space.id) : visibleSpaces(sightOf(ctx.actor)),
    ends: space === undefined && isOrgAdmin(ctx.actor),
    kinds: input.kinds,
    limit: limit + 1,
  })
  const placed = rows.slice(0, limit).map((row) => ({
    change: toChange(row, ctx.publicUrl),
    cursor: cursorAt(ctx, { transactionId: row.transaction_id, seq: row.seq }),
  }))
  return { placed, nextCursor: placed.at(-1)?.cursor ?? cursorAt(ctx, after), hasMore: rows.length > limit }
}

/** The kinds that a comma-separated list names. */
export function parseKinds(text: string): EventKind[] {
  return text.split(',').map((word) => {
    const kind = EVENT_KINDS.find((known) => known === word.trim())
    if (kind) return kind
    throw new AppError(
      'invalid_request',
      `There is no event \`${word}\`: the kinds are ${EVENT_KINDS.join(', ')}.`,
      {
        issues: [{ path: 'kinds', message: `must be of ${EVENT_KINDS.join(', ')}` }],
      },
    )
  })
}

async function positionOf(ctx: Ctx, since: string | undefined): Promise<FeedPosition> {
  if (since === undefined) return BEGINNING
  if (since === 'now') return currentPosition(ctx.db)
  const [transactionId, seq] = windowOf(ctx, FEED, { cursor: since }, ['transaction', 'integer']).after ?? []
  return { transactionId: String(transactionId), seq: Number(seq) }
}

function cursorAt(ctx: Ctx, { transactionId, seq }: FeedPosition): string {
  return ctx.cursors.seal(FEED, [transactionId, seq])
}

/** The members of a webhook's body, but for what belongs to a delivery. */
function toChange(row: ChangeRow, origin: string): Change {
  const head = { id: row.id, event: row.kind, occurredAt: row.at.toISOString(), actor: row.actor }
  if (row.kind.startsWith('space.')) return { ...head, space: { ...row.data, slug: row.slug } }
  const { path, title, version, ...more } = row.data
  const page = {
    space: row.slug,
    path: String(path),
    url: origin + pageUrl(row.slug, String(path)),
    title: String(title),
    version: Number(version),
  }
  return { ...head, page, ...more }
}
