import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { Resource } from '../../access/resource.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import { lockAddresses, lockLive, type Move, type Spaces } from './store-move-rows.ts'

/** A page or file as it was planned to move. */
export interface PlannedMove {
  readonly id: number
  readonly from: string
  readonly to: string
  readonly title: string
  readonly version: number
  /** Whether the move writes a new version anyway, so that no copy is needed. */
  readonly isRewritten: boolean
}

/** Versions by the id of a page or file. */
export type Versions = ReadonlyMap<number, number>

interface LiveItem {
  readonly spaceId: number
  readonly id: number
  readonly path: string
  readonly version: number
}

/** Locks pages or files; false when one was changed, moved or deleted since it was planned. */
export async function lockUnchanged(tx: Tx, resource: Resource, items: readonly LiveItem[]): Promise<boolean> {
  const rows = new Map((await lockLive(tx, resource, items)).map((row) => [row.id, row]))
  return items.every(({ id, version, path }) => {
    const row = rows.get(id)
    return row?.version === version && row.path === path
  })
}

/** Locks the addresses of a move; undefined when something that does not move is at one of the new ones. */
export async function lockMoves(
  tx: Tx,
  resource: Resource,
  spaces: Spaces,
  planned: readonly PlannedMove[],
): Promise<Move[] | undefined> {
  const addresses = await lockAddresses(tx, resource, {
    spaceIds: [...planned.map(() => spaces.from), ...planned.map(() => spaces.to)],
    paths: [...planned.map(({ from }) => from), ...planned.map(({ to }) => to)],
  })
  const targets = addresses.filter((row) => row.space_id === spaces.to)
  const targetByPath = new Map(targets.map((row) => [row.path, row]))
  const movingVersions = new Map(planned.map(({ id, version }) => [id, version]))
  const moves = planned.flatMap(({ isRewritten, ...item }) => {
    const target = targetByPath.get(item.to)
    const leaving = target?.id === null ? 0 : target && movingVersions.get(target.id)
    if (!target || leaving === undefined) return []
    // No version is used twice at one address: neither that of what was there nor that of what moves away now.
    const last = Math.max(target.last_version, leaving)
    const isCopied = !isRewritten && last >= item.version
    return { ...item, last, next: isCopied ? last + 1 : item.version, copyId: isCopied ? uuid7() : null }
  })
  return moves.length === planned.length ? moves : undefined
}

/** The versions of what an earlier attempt, whose commit outcome was unknown, has moved; undefined: it has not. */
export async function findMoved(
  tx: Tx,
  resource: Resource,
  spaceId: number,
  planned: readonly PlannedMove[],
): Promise<Versions | undefined> {
  const [first] = planned
  if (!first) return new Map()
  const rows = await lockLive(
    tx,
    resource,
    planned.map(({ id }) => ({ spaceId, id })),
  )
  if (rows.find(({ id }) => id === first.id)?.path !== first.to) return undefined
  return new Map([...planned, ...rows].map(({ id, version }) => [id, version]))
}
