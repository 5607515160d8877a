import { AppError } from '@recto/contract/errors.ts'
import type { Tx } from '../platform/database/transaction.ts'
import type { AddressedRow } from './addressed-page.ts'
import type { Ctx, OverlaidCtx } from './ctx.ts'
import { type DraftedPage, requireProposer } from './overlay.ts'
import { rankPaths } from './space.ts'
import {
  type DraftRow,
  deleteDraft,
  insertDraft,
  insertRequest,
  lockNumbers,
  lockRequest,
  touchRequest,
  updateDraft,
} from './store-drafts.ts'

const MAX_DRAFTS = 500
const MAX_OPEN = 100

/** The page of a draft, as its writer has read it. */
export interface DraftTarget {
  readonly spaceId: number
  readonly path: string
  /** Null: there is no such page, but perhaps a draft of one. */
  readonly pageId: number | null
  readonly version: number
  readonly draft: DraftRow | undefined
}

/** A body with what is derived from it. */
type DraftBody = Pick<DraftRow, 'revision_id' | 'body' | 'title' | 'frontmatter' | 'note'>

/** What a write makes of a draft; absent: as before. */
export interface DraftChange {
  readonly body?: DraftBody
  readonly metadata?: Pick<DraftRow, 'operations' | 'base_values'>
  readonly isDeleted?: true
}

/** A draft that this transaction has stored. */
export interface SavedDraft {
  readonly number: number
  readonly id: number
  readonly version: number
}

/** The page of a row that was read through the change request, as its draft is saved. */
export function toDraftTarget(
  row: AddressedRow & DraftedPage & { readonly version: number },
  path: string,
): DraftTarget {
  const pageId = row.page_id !== null && row.page_id > 0 ? row.page_id : null
  return { spaceId: row.space_id, path, pageId, version: row.version, draft: row.draft }
}

const UNCHANGED = { revision_id: null, body: null, title: null, frontmatter: null, note: null }
const NO_METADATA = { operations: [], base_values: {} }

/** Opens a change request in this transaction, and returns its number. */
export async function openRequest(
  tx: Ctx & Tx,
  spaceId: number,
  { title, description = '' }: { readonly title: string; readonly description?: string },
): Promise<number> {
  requireProposer(tx.actor)
  const numbers = await lockNumbers.first(tx.db, { spaceId, authorId: tx.actor.id })
  if (!numbers) throw new AppError('not_found', 'The space does not exist any more.')
  await requireProposals(tx, spaceId, numbers.proposals)
  if (numbers.open >= MAX_OPEN) {
    const detail = `You have ${MAX_OPEN} open change requests, and nobody may have more: close some, or have them merged.`
    throw new AppError('too_many_change_requests', detail)
  }
  const request = { spaceId, title, description, authorId: tx.actor.id, now: tx.now() }
  const row = await insertRequest.first(tx.db, request)
  if (!row) throw new Error('a change request was not inserted')
  return row.number
}

/**
 * Stores a proposed change of a page in the change request of the context; undefined, with nothing changed, where the
 * draft was changed since it was read. Throws unless the request is open, and the caller may change it.
 */
export async function saveDraft(
  tx: OverlaidCtx & Tx,
  target: DraftTarget,
  change: DraftChange,
): Promise<SavedDraft | undefined> {
  const { spaceId, draft, pageId } = target
  const number = await lockOpen(tx, target)
  const now = tx.now()
  const isNew = pageId === null
  const body = change.body ?? draft ?? UNCHANGED
  const metadata = change.metadata ?? draft ?? NO_METADATA
  const values = {
    spaceId,
    number,
    isDeleted: change.isDeleted ?? false,
    ...toBody(change.isDeleted ? UNCHANGED : body),
    operations: JSON.stringify(change.isDeleted ? [] : metadata.operations),
    baseValues: JSON.stringify(change.isDeleted ? {} : metadata.base_values),
    baseVersion: isNew ? null : target.version,
    actorId: tx.actor.id,
    now,
  }
  const key = draft && { spaceId, number, id: draft.id, expected: draft.version }
  const savedRow = !key
    ? await insertDraft.first(tx.db, { ...values, pageId, path: isNew ? target.path : null })
    : isNew && change.isDeleted
      ? await deleteDraft.first(tx.db, key)
      : await updateDraft.first(tx.db, { ...values, ...key })
  if (!savedRow) return tx.noChange()
  await touchRequest.enqueue(tx.db, { spaceId, number, now })
  return { number, ...savedRow }
}

function toBody({ revision_id, body, title, frontmatter, note }: DraftBody) {
  return { revisionId: revision_id, body, title, frontmatter, note }
}

/** Locks the change request of the context, and opens it where it is new. */
async function lockOpen(tx: OverlaidCtx & Tx, { spaceId, path, draft }: DraftTarget): Promise<number> {
  const { number, title = '' } = tx.overlay
  if (number === undefined) return openRequest(tx, spaceId, { title })
  requireProposer(tx.actor)
  const request = await lockRequest.first(tx.db, { spaceId, number })
  if (!request) throw noChangeRequest(number)
  if (request.state !== 'open') throw closed(number, request.state)
  await requireProposals(tx, spaceId, request.proposals)
  if (request.author_id !== tx.actor.id) await requireEditor(tx, spaceId, path, number)
  if (!draft && request.drafts >= MAX_DRAFTS) {
    const detail = `The change request ${number} has ${MAX_DRAFTS} changes, and none may have more: open another one.`
    throw new AppError('change_request_full', detail)
  }
  return number
}

/** Throws unless the space takes proposals of the caller. */
async function requireProposals(tx: Ctx & Tx, spaceId: number, proposals: 'readers' | 'editors' | 'off') {
  if (proposals === 'readers') return
  const detail = 'This space takes no change requests.'
  if (proposals === 'off') throw new AppError('forbidden', detail)
  // The scope of a key that may only propose is no lower role.
  const [row] = await rankPaths({ db: tx.db, actor: { ...tx.actor, scope: 'admin' } }, spaceId, [''])
  if (!row || row.rank < 2) throw new AppError('forbidden', 'This space takes change requests of its editors only.')
}

async function requireEditor(tx: Ctx & Tx, spaceId: number, path: string, number: number): Promise<void> {
  const [row] = await rankPaths(tx, spaceId, [path])
  if (row && row.rank >= 2) return
  const detail = `The change request ${number} is somebody else’s, whose drafts need the role editor: open your own.`
  throw new AppError('forbidden', detail)
}

/** The error for a number that no change request of the space has. */
export function noChangeRequest(number: number): AppError {
  return new AppError('not_found', `There is no change request ${number} in this space.`)
}

/** The error for a request that has ended. */
export function closed(number: number, state: string): AppError {
  return new AppError('change_request_closed', `The change request ${number} is ${state}: it takes no more changes.`)
}
