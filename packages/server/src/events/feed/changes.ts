import { inputError } from '@recto/contract/errors.ts'
import { fileUrl, pageUrl } from '@recto/contract/page-url.ts'
import type { Static } from 'typebox'
import { isOrgAdmin } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { changeRequestUrl } from '../../access/overlay.ts'
import { requireSpace } from '../../access/space.ts'
import { onlySpace, toAccessSubject, visibleSpaces } from '../../access/visibility.ts'
import { parseWindow } from '../../platform/http/paging.ts'
import { threadUrl } from './body.ts'
import { type ChangeRequestEvent, EVENT_KINDS, type EventKind, type ThreadData } from './event.ts'
import type { changesSchema, FeedEntry } from './schema.ts'
import { type ChangeRow, currentPosition, type FeedPosition, findLastBefore, listChanges } from './store-changes.ts'
import { findMovePlace, isAboutThread, toVisibleKind } from './views.ts'

export interface ReadChanges {
  /** A cursor of this feed, `now`, or absent for the beginning. */
  readonly since?: string
  /** In place of `since`: the events from this time on. */
  readonly from?: Date
  readonly space?: string
  readonly kinds?: readonly EventKind[]
  readonly limit?: number
}

export type Changes = Static<typeof changesSchema>

const FEED = 'changes'
const BEGINNING: FeedPosition = { transactionId: '0', seq: -1 }
/** The feed has the order of transactions: an event may be this much older than one before it. */
const MAX_DISORDER_MS = 60_000

/** An event of the feed with the cursor after it. */
export interface PlacedChange {
  readonly change: FeedEntry
  readonly cursor: string
  readonly position: FeedPosition
}

export interface PlacedChanges {
  readonly placed: readonly PlacedChange[]
  readonly nextCursor: string
  /** The position in the cursor. */
  readonly end: FeedPosition
  readonly hasMore: boolean
}

/** The events after a position that the caller can see now. */
export async function readChanges(ctx: Ctx, input: ReadChanges): Promise<Changes> {
  const { placed, nextCursor, hasMore } = await readPlaced(ctx, input)
  return { items: placed.map(({ change }) => change), nextCursor, hasMore }
}

/** The same, with a cursor after each event. */
export async function readPlaced(ctx: Ctx, input: ReadChanges): Promise<PlacedChanges> {
  const space = input.space === undefined ? undefined : await requireSpace(ctx, input.space, 'viewer')
  const limit = input.limit ?? 50
  const after = input.from ? await positionAt(ctx, input.from) : await parsePosition(ctx, input.since)
  const subject = toAccessSubject(ctx.actor)
  const rows = await listChanges(ctx.db, {
    after,
    subject,
    spaces: space ? onlySpace(space.id) : visibleSpaces(subject),
    isOneSpace: space !== undefined,
    ends: space === undefined && isOrgAdmin(ctx.actor),
    kinds: input.kinds,
    from: input.from,
    limit: limit + 1,
  })
  const firstChanges = placeChanges(rows.slice(0, limit), ctx)
  const end = firstChanges.at(-1)?.position ?? after
  return { placed: firstChanges, nextCursor: cursorAt(ctx, end), end, hasMore: rows.length > limit }
}

/** The dependencies of the wire format of events. */
export type PlacingRuntime = Pick<Ctx, 'config' | 'cursors'>

const placedByRow = new WeakMap<ChangeRow, PlacedChange>()
const knownLists = new WeakMap<readonly ChangeRow[], readonly PlacedChange[]>()

/** The events of a list of rows, shared by all readers of the list. */
export function placeChanges(rows: readonly ChangeRow[], runtime: PlacingRuntime): readonly PlacedChange[] {
  const before = knownLists.get(rows)
  if (before) return before
  const changeList = rows.map((row) => placeChange(row, runtime))
  knownLists.set(rows, changeList)
  return changeList
}

/** The event of a row, shared by all its readers. */
function placeChange(row: ChangeRow, runtime: PlacingRuntime): PlacedChange {
  const before = placedByRow.get(row)
  if (before) return before
  const position = { transactionId: row.transaction_id, seq: row.seq }
  const placedChange = {
    change: toChange(row, runtime.config.publicUrl),
    cursor: cursorAt(runtime, position),
    position,
  }
  placedByRow.set(row, placedChange)
  return placedChange
}

/** Parses a comma-separated list of event kinds. */
export function parseKinds(text: string): EventKind[] {
  return text.split(',').map((word) => {
    const kind = EVENT_KINDS.find((knownKind) => knownKind === word.trim())
    if (kind) return kind
    const detail = `There is no event \`${word}\`: the kinds are ${EVENT_KINDS.join(', ')}.`
    throw inputError('invalid_request', detail, 'kinds', `must be of ${EVENT_KINDS.join(', ')}`)
  })
}

async function parsePosition(ctx: Ctx, since: string | undefined): Promise<FeedPosition> {
  if (since === undefined) return BEGINNING
  if (since === 'now') return currentPosition(ctx.db)
  const [transactionId, seq] = parseWindow(ctx, FEED, { cursor: since }, ['transaction', 'integer']).after ?? []
  return { transactionId: String(transactionId), seq: Number(seq) }
}

/** A position that no event from this time on precedes. */
async function positionAt(ctx: Ctx, from: Date): Promise<FeedPosition> {
  return (await findLastBefore(ctx.db, new Date(from.getTime() - MAX_DISORDER_MS))) ?? BEGINNING
}

function cursorAt(ctx: PlacingRuntime, { transactionId, seq }: FeedPosition): string {
  return ctx.cursors.seal(FEED, [transactionId, seq])
}

/** The members of a webhook's body, except those of a delivery. */
function toChange(row: ChangeRow, origin: string): FeedEntry {
  const head = { id: row.id, event: toVisibleKind(row), occurredAt: row.at.toISOString(), actor: row.actor }
  if (row.kind.startsWith('space.')) return { ...head, space: { ...row.data, slug: row.slug } }
  if (row.kind.startsWith('changeRequest.')) return { ...head, changeRequest: toRequest(row, origin) }
  if (isAboutThread(row)) return { ...head, [row.kind.split('.')[0] ?? '']: toThread(row, origin), ...otherPlace(row) }
  if (row.kind.startsWith('file.')) return { ...head, ...fileMembers(row, origin), ...otherPlace(row) }
  const { path, title, version, from: _, ...more } = row.data
  const page = {
    space: row.slug,
    path: String(path),
    url: origin + pageUrl(row.slug, String(path)),
    title: String(title),
    version: Number(version),
  }
  return { ...head, page, ...more, ...otherPlace(row) }
}

function otherPlace(row: ChangeRow): Pick<FeedEntry, 'from' | 'to'> {
  const member = findMovePlace(row)
  return member ? { [member]: { space: row.other_slug, path: row.other_path } } : {}
}

function toRequest({ slug, data }: ChangeRow, origin: string) {
  const { number, title, state, path, resource } = data as ChangeRequestEvent['data'] // as it was recorded
  const url = changeRequestUrl(origin, slug, number)
  return { space: slug, number, url, title, state, ...(resource && { path, resource }) }
}

function toThread({ slug, data: recordedData }: ChangeRow, origin: string) {
  const data = recordedData as unknown as ThreadData // as it was recorded
  return { space: slug, ...data, url: threadUrl(origin, data.thread ?? data.id) }
}

function fileMembers(row: ChangeRow, origin: string) {
  const { path, version, size, contentType, digest, from: _, ...more } = row.data
  const file = {
    space: row.slug,
    path: String(path),
    url: origin + fileUrl(row.slug, String(path)),
    size: Number(size),
    contentType: String(contentType),
    digest: String(digest),
    version: Number(version),
  }
  return { file, ...more }
}
