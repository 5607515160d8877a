import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import type { Ctx } from '../../access/ctx.ts'
import { withoutRedirect } from '../../access/missing.ts'
import { requirePage } from '../../access/page.ts'
import { requireSpace } from '../../access/space.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { autocommit } from '../../platform/database/database.ts'
import { buildPage, type List, type PageQuery, parseWindow } from '../../platform/http/paging.ts'
import { requireThread } from '../comments/threads.ts'
import { findFile } from '../files/find.ts'
import type { WATCHED_KINDS, Watch } from './schema.ts'
import * as store from './store-watches.ts'
import { toSubject, toTitle } from './subject.ts'

/** The watches that a person has at most. */
export const MAX_WATCHES = 1000

/** What to watch: a thread, a space, or what is at a path. */
export type WatchAddress =
  | { readonly thread: string }
  | {
      readonly space: string
      readonly path?: string | undefined
      readonly kind?: (typeof WATCHED_KINDS)[number] | undefined
    }

/** Watches something that the caller reads. Repeating it changes nothing. */
export async function watch(ctx: Ctx, address: WatchAddress): Promise<void> {
  await put(ctx, await requireTarget(ctx, address), false)
}

/**
 * Ends it. What one watches without asking (what one wrote, and threads that one takes part in) is muted: but for
 * mentions one is not told of it.
 */
export async function unwatch(ctx: Ctx, address: WatchAddress): Promise<void> {
  const target = await requireTarget(ctx, address)
  const isOnlyByChoice = target.pageId === undefined && target.fileId === undefined && target.threadId === undefined
  if (!isOnlyByChoice) await put(ctx, target, true)
  else await store.removeWatch.all(autocommit(ctx.db), store.toWatchKey(ctx.actor.id, target))
}

async function put(ctx: Ctx, target: store.WatchTarget, muted: boolean): Promise<void> {
  const key = store.toWatchKey(ctx.actor.id, target)
  const state = { ...key, muted, now: ctx.now(), max: MAX_WATCHES }
  const row = await store.putWatch.first(autocommit(ctx.db), state)
  if (row?.is_full) throw new AppError('invalid_request', `You watch ${MAX_WATCHES} things. End one of them first.`)
}

/** What the caller watches or has muted, the last one first. */
export async function listOwnWatches(ctx: Ctx, paging: PageQuery): Promise<List<Watch>> {
  const window = parseWindow(ctx, 'watches', paging, ['integer'])
  const after = window.after && Number(window.after[0])
  const rows = await store.listWatches(ctx.db, toAccessSubject(ctx.actor), { after, limit: window.limit + 1 })
  return buildPage(window, rows, ['id'], toWatch)
}

/** Whether the caller is told of what happens at an address: by their own choice, else by what they wrote or watch. */
export async function isWatching(ctx: Ctx, address: WatchAddress): Promise<boolean> {
  const target = await requireTarget(ctx, address)
  const path = 'path' in address ? (address.path ?? null) : null
  const state = await store.findWatchState.first(ctx.db, { ...store.toWatchKey(ctx.actor.id, target), path })
  return state?.muted === null ? state.inherited || state.wrote : state?.muted === false
}

async function requireTarget(ctx: Ctx, address: WatchAddress): Promise<store.WatchTarget> {
  if ('thread' in address) {
    const thread = await requireThread(ctx, address)
    return { spaceId: thread.space_id, threadId: thread.id }
  }
  const { space, path = '', kind } = address
  const place = { space, path }
  if (path === '' || kind === 'folder') return findFolder(ctx, place)
  const page = kind === 'file' ? undefined : await findPageTarget(ctx, place).catch(orNothing(kind))
  const file = page || kind === 'page' ? undefined : await findFileTarget(ctx, place).catch(orNothing(kind))
  return page ?? file ?? findFolder(ctx, place)
}

async function findPageTarget(ctx: Ctx, address: PageAddress): Promise<store.WatchTarget> {
  const page = await requirePage(ctx, address, 'viewer').catch(withoutRedirect)
  return { spaceId: page.spaceId, pageId: page.id }
}

async function findFileTarget(ctx: Ctx, address: PageAddress): Promise<store.WatchTarget> {
  const file = await findFile(ctx, address, 'viewer').catch(withoutRedirect)
  return { spaceId: file.space_id, fileId: file.file_id }
}

/** Any folder of the space, whether it exists and is hidden or not: so watching tells nothing of it. */
async function findFolder(ctx: Ctx, { space, path }: PageAddress): Promise<store.WatchTarget> {
  const { id: spaceId } = await requireSpace(ctx, space, 'viewer')
  return { spaceId, ...(path !== '' && { prefix: path }) }
}

/** Nothing, where there is none; throws if the caller asked for it. */
function orNothing(kind: string | undefined) {
  return (error: unknown): undefined => {
    if (kind === undefined && error instanceof AppError && error.code === 'not_found') return undefined
    throw error
  }
}

function toWatch(row: store.WatchRow): Watch {
  const { thread_id: thread, page_id: page, file_id: file, path } = row
  const kind =
    thread !== null ? 'thread' : page !== null ? 'page' : file !== null ? 'file' : path !== null ? 'folder' : 'space'
  return {
    subject: { kind, ...toSubject(row) },
    title: toTitle(row),
    muted: row.muted,
    createdAt: row.created_at.toISOString(),
  }
}
