import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@recto/contract/errors.ts'
import { isUuid, uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { registerSampled } from '@recto/lib/sampled.ts'
import type { Registry } from 'prom-client'
import { isOrgAdmin } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { requireSpace } from '../../access/space.ts'
import { autocommit, type Db } from '../../platform/database/database.ts'
import type { Rebuilder } from './rebuilder.ts'
import type { Rebuild } from './schema.ts'
import {
  countPagesToRead,
  findBacklog,
  findRebuild,
  insertRebuild,
  listRebuilds,
  type RebuildRow,
} from './store-rebuild.ts'

const WAIT_MS = 20_000
const POLL_MS = 200
const RECENT = 10

/**
 * Extracts the links of all pages again, or of those of one space, and waits for the end for up to 20 s. For
 * organisation admins. A concurrent request for the same scope joins the running rebuild.
 */
export async function rebuildLinks(
  ctx: Ctx,
  rebuilder: Pick<Rebuilder, 'wake'>,
  input: { readonly space?: string },
): Promise<Rebuild> {
  const id = await beginRebuild(ctx, rebuilder, input)
  const until = Date.now() + WAIT_MS
  for (let wait = 5; ; wait = Math.min(wait * 2, POLL_MS)) {
    const rebuild = await requireRebuild(ctx, id)
    if (rebuild.status === 'done' || Date.now() > until) return rebuild
    await sleep(wait)
    await ctx.reauthorization?.ask()
  }
}

/** Starts a rebuild without waiting for its end; returns the id by which its progress is read. */
export async function beginRebuild(
  ctx: Ctx,
  rebuilder: Pick<Rebuilder, 'wake'>,
  input: { readonly space?: string },
): Promise<string> {
  requireOrgAdmin(ctx)
  const space = input.space === undefined ? undefined : await requireSpace(ctx, input.space, 'viewer')
  const id = await insertRebuild(autocommit(ctx.db), {
    id: uuid7(),
    spaceId: space?.id ?? null,
    actorId: ctx.actor.id,
    now: ctx.now(),
  })
  rebuilder.wake()
  return id
}

/** The latest rebuilds. For organisation admins. */
export async function recentRebuilds(ctx: Ctx): Promise<Rebuild[]> {
  requireOrgAdmin(ctx)
  return (await listRebuilds(ctx.db, ctx.actor.id, RECENT)).map(toRebuild)
}

/** A rebuild, and approximately how many pages it reads. For organisation admins. */
export async function readRebuildProgress(
  ctx: Ctx,
  id: string,
): Promise<{ readonly rebuild: Rebuild; readonly total: number }> {
  const rebuild = await readRebuild(ctx, id)
  return { rebuild, total: await countPagesToRead(ctx.db, id) }
}

/** The progress of a rebuild. For organisation admins. */
export async function readRebuild(ctx: Ctx, id: string): Promise<Rebuild> {
  requireOrgAdmin(ctx)
  return requireRebuild(ctx, id)
}

async function requireRebuild(ctx: Ctx, id: string): Promise<Rebuild> {
  const row = isUuid(id) ? await findRebuild(ctx.db, ctx.actor.id, id) : undefined
  if (!row) throw new AppError('not_found', `There is no rebuild \`${id}\`.`)
  return toRebuild(row)
}

function requireOrgAdmin({ actor }: Ctx): void {
  if (isOrgAdmin(actor)) return
  const detail = 'This needs an organisation admin, with a key of the scope admin for all spaces.'
  throw new AppError('forbidden', detail)
}

function toRebuild(row: RebuildRow): Rebuild {
  return {
    id: row.id,
    status: row.status,
    space: row.space,
    pagesScanned: row.pages_scanned,
    linksIndexed: row.links_indexed,
    createdAt: row.created_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
  }
}

/** Registers the rebuilds of the link index that are not done. */
export function rebuildMetrics(registry: Registry, db: Db): void {
  registerSampled(registry, [
    {
      name: 'recto_link_rebuilds_running',
      help: 'Rebuilds of the link index that are not done.',
      sample: async () => (await findBacklog(db)).running,
    },
    {
      name: 'recto_link_rebuild_oldest_seconds',
      help: 'Age of the oldest of these; 0 when there is none.',
      sample: async () => (await findBacklog(db)).seconds,
    },
  ])
}
