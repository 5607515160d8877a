import { uuid7 } from '../../../../lib/src/encoding/uuid7.ts'
import type { EventsCtx } from '../../events/feed/ctx.ts'
import { type FileEvent, moveEvents } from '../../events/feed/event.ts'
import { recordEvents } from '../../events/feed/record.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import { fileEventData } from './file.ts'
import { checkQuota } from './quota.ts'
import {
  type FileMove,
  lockFileAddresses,
  lockFiles,
  type MovingFile,
  moveFiles,
  readFacts,
} from './store-move.ts'

/** The source and the target of a move; `findPath` returns the new path of a file. */
export interface FileMoveOrder {
  readonly from: { readonly spaceId: number }
  readonly to: { readonly spaceId: number }
  readonly toNewPath: (path: string) => string
}

/** Why files cannot be moved: a file that does not move is at one of the new paths. */
export interface FilesInTheWay {
  readonly paths: readonly string[]
}

/**
 * Moves files in a transaction if they are as they were read. Returns their new versions by id, the paths that are in
 * use, or undefined if one of them was changed meanwhile: then they have to be read again.
 */
export async function applyFileMoves(
  tx: EventsCtx & Tx,
  order: FileMoveOrder,
  files: readonly MovingFile[],
  now: Date,
): Promise<ReadonlyMap<number, number> | FilesInTheWay | undefined> {
  if (files.length === 0) return new Map()
  const { from, to } = order
  const ids = files.map(({ file_id }) => file_id)
  const locked = new Map((await lockFiles(tx, from.spaceId, ids)).map((row) => [row.id, row]))
  const unchanged = files.every(({ file_id, path, version }) => {
    const row = locked.get(file_id)
    return row?.path === path && row.version === version
  })
  if (!unchanged) return tx.commitOutcomeUnknown ? findFilesMoved(tx, order, files) : undefined
  const targets = files.map(({ path }) => order.toNewPath(path))
  const addresses = await lockFileAddresses(tx, {
    spaceIds: [...files.map(() => from.spaceId), ...files.map(() => to.spaceId)],
    paths: [...files.map(({ path }) => path), ...targets],
  })
  const moving = new Set(ids)
  const target = new Map(addresses.filter((row) => row.space_id === to.spaceId).map((row) => [row.path, row]))
  const taken = targets.filter((path) => {
    const id = target.get(path)?.file_id ?? null
    return id !== null && !moving.has(id)
  })
  if (taken.length > 0) return { paths: taken }
  const moves = files.map((file, index): FileMove => {
    const path = targets[index] ?? ''
    const there = target.get(path)
    // No version is used twice at one address: neither that of a former file nor that of one that moves away now.
    const leaving = locked.get(there?.file_id ?? -1)?.version ?? 0
    const last = Math.max(there?.last_version ?? 0, leaving)
    return { ...file, to: path, next: file.version > last ? file.version : last + 1, copyId: uuid7() }
  })
  await moveFiles(tx, { from: from.spaceId, to: to.spaceId }, moves, { actorId: tx.actor.id, now })
  if (from.spaceId !== to.spaceId) await checkQuota(tx, to.spaceId)
  await recordMoves(tx, order, moves, now)
  return new Map(moves.map(({ file_id, next }) => [file_id, next]))
}

/** The versions of the files if an earlier attempt, whose commit outcome was unknown, has moved them. */
export async function findFilesMoved(
  tx: EventsCtx & Tx,
  { to, toNewPath }: FileMoveOrder,
  files: readonly MovingFile[],
): Promise<ReadonlyMap<number, number> | undefined> {
  const ids = files.map(({ file_id }) => file_id)
  const moved = await lockFiles(tx, to.spaceId, ids)
  const paths = new Map(files.map(({ file_id, path }) => [file_id, toNewPath(path)]))
  const complete = moved.length === files.length && moved.every(({ id, path }) => paths.get(id) === path)
  return complete ? new Map(moved.map(({ id, version }) => [id, version])) : undefined
}

async function recordMoves(
  tx: EventsCtx & Tx,
  { from, to }: FileMoveOrder,
  moves: readonly FileMove[],
  at: Date,
): Promise<void> {
  const facts = new Map(
    (
      await readFacts(
        tx,
        to.spaceId,
        moves.map(({ file_id }) => file_id),
      )
    ).map((row) => [row.id, row]),
  )
  const events = moves.flatMap(({ file_id: fileId, path, version, to: moved, next }) => {
    const row = facts.get(fileId)
    if (!row) return []
    const data = fileEventData({ ...row, path: moved, version: next })
    const event: FileEvent = { kind: 'file.moved', spaceId: to.spaceId, fileId, actor: tx.actor, at, data }
    return moveEvents(event, { spaceId: from.spaceId, path, version })
  })
  await recordEvents(tx, events)
}
