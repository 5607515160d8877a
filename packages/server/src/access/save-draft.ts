import { AppError, retryLater } from '@recto/contract/errors.ts'
import { OvertakenError, type Tx } from '../platform/database/transaction.ts'
import type { AddressedSpace, Proposals } from './addressed-page.ts'
import type { Ctx, OverlaidCtx } from './ctx.ts'
import { type DraftedPage, isRestored, mayPropose, requireProposer } from './overlay.ts'
import type { ItemIds, Resource } from './resource.ts'
import { rankPaths } from './space.ts'
import * as store from './store-drafts.ts'

const MAX_DRAFTS = 500
const MAX_OPEN = 100
/** Attempts at a proposal, since others may write its drafts meanwhile. */
const MAX_ROUNDS = 8

/** The page or file of a draft, as its writer has read it. */
export interface DraftTarget {
  readonly space: string
  readonly spaceId: number
  readonly path: string
  readonly resource: Resource
  /** Null: there is no such page or file, but perhaps a draft of one. */
  readonly id: number | null
  readonly version: number
  readonly draft: store.DraftRow | undefined
}

/** A body with what is derived from it. */
type DraftBody = Pick<store.DraftRow, 'revision_id' | 'body' | 'title' | 'frontmatter' | 'note'> &
  Partial<Pick<store.DraftRow, 'digest' | 'size' | 'content_type' | 'width' | 'height'>>

/** What a write makes of a draft; absent: as before. */
export interface DraftChange {
  readonly body?: DraftBody
  readonly metadata?: Pick<store.DraftRow, 'operations' | 'base_values'>
  readonly isDeleted?: true
  /** Where the page or file is moved to. */
  readonly path?: string
  /** Of what the request restores: the version that was deleted. */
  readonly trashedVersion?: number | undefined
  /** Of a new body, or of one at another address. */
  readonly index?: store.DraftIndex | undefined
}

/** A draft that this transaction has stored. */
export interface SavedDraft {
  readonly number: number
  readonly id: number
  readonly version: number
}

/** The page or file of a row that was read through the change request, as its draft is saved. */
export function toDraftTarget(
  row: Pick<AddressedSpace, 'space_id' | 'space_slug'> & ItemIds & DraftedPage & { readonly version: number },
  path: string,
  resource: Resource = 'page',
): DraftTarget {
  const id = Math.max(row[`${resource}_id`] ?? 0, 0) || null
  return { space: row.space_slug, spaceId: row.space_id, path, resource, id, version: row.version, draft: row.draft }
}

export const UNCHANGED = { revision_id: null, body: null, title: null, frontmatter: null, note: null }
const NO_METADATA = { operations: [], base_values: {} }

/** Opens a change request in this transaction, and returns its number. */
export async function openRequest(
  tx: Ctx & Tx,
  spaceId: number,
  { title, description = '' }: { readonly title: string; readonly description?: string },
): Promise<number> {
  requireProposer(tx.actor)
  const numbers = await store.lockNumbers.first(tx.db, { spaceId, authorId: tx.actor.id })
  if (!numbers) throw new AppError('not_found', 'The space does not exist any more.')
  await requireProposals(tx, spaceId, numbers.proposals)
  if (numbers.open >= MAX_OPEN) {
    throw new AppError(
      'too_many_change_requests',
      `You have ${MAX_OPEN} open change requests, and nobody may have more: close some, or have them merged.`,
    )
  }
  const request = { spaceId, title, description, authorId: tx.actor.id, now: tx.now() }
  const row = await store.insertRequest.first(tx.db, request)
  if (!row) throw new Error('a change request was not inserted')
  await tx.tellOfRequest(tx, { spaceId, number: row.number }, 'opened')
  return row.number
}

/**
 * Stores a proposed change of a page or file in the change request of the context. Where the draft was changed since it
 * was read, the transaction fails as overtaken. Throws unless the request is open, and the caller may change it.
 */
export async function saveDraft(tx: OverlaidCtx & Tx, target: DraftTarget, change: DraftChange): Promise<SavedDraft> {
  const { spaceId, draft, id } = target
  if (target.space !== tx.overlay.space) {
    throw new AppError('invalid_request', 'All pages of a proposal are in the space of its change request.')
  }
  const number = await lockOpen(tx, target)
  const now = tx.now()
  const isNew = id === null
  const body = change.body ?? draft ?? UNCHANGED
  const metadata = change.metadata ?? draft ?? NO_METADATA
  const values = {
    spaceId,
    number,
    path: change.path ?? (isNew && !draft ? target.path : null),
    isDeleted: change.isDeleted ?? false,
    ...toBody(change.isDeleted ? UNCHANGED : body),
    operations: JSON.stringify(change.isDeleted ? [] : metadata.operations),
    baseValues: JSON.stringify(change.isDeleted ? {} : metadata.base_values),
    baseVersion: target.id === null ? (change.trashedVersion ?? null) : target.version,
    actorId: tx.actor.id,
    agent: tx.actor.kind === 'agent',
    now,
  }
  const savedRow = await storeDraft(tx, target, values)
  if (!savedRow) throw new OvertakenError('The draft has changed since it was read.')
  if (change.index) await store.indexDraft.enqueue(tx.db, { spaceId, number, id: savedRow.id, ...change.index })
  await store.touchRequest.enqueue(tx.db, { spaceId, number })
  const path = findToldPath(target, values.path)
  if (path) await tx.tellOfRequest(tx, { spaceId, number, place: { path, resource: target.resource } }, 'updated')
  return { number, ...savedRow }
}

/** The path whose readers are told of a draft; where it moves a page, no one path has its readers: nobody is told. */
function findToldPath({ draft, id, path }: DraftTarget, newPath: string | null): string | undefined {
  const present = draft ? draft.page_path : id === null ? null : path
  const address = newPath ?? draft?.path ?? path
  return present === null || present === address ? address : undefined
}

/** Throws after too many attempts that were overtaken: a draft that the caller cannot read may be at the address. */
export function checkRounds(round: number): void {
  if (round < MAX_ROUNDS) return
  throw retryLater(
    'page_busy',
    'The change request is being written at this address. Try again, or use another one.',
    1,
  )
}

/** Inserts or changes a draft; a page or file of the request alone is deleted with its draft. */
async function storeDraft({ db }: Tx, { draft, resource, id, path }: DraftTarget, values: store.DraftArgs) {
  if (!draft) return store.insertDraft.first(db, { ...values, resource, id, basePath: id === null ? null : path })
  if (values.path !== null && isRestored(draft)) {
    throw new AppError('change_request_not_supported', 'What a change request restores is moved after its merge.')
  }
  const key = { spaceId: values.spaceId, number: values.number, id: draft.id, expected: draft.version }
  if (id === null && values.isDeleted) return store.deleteDraft.first(db, key)
  return store.updateDraft.first(db, { ...values, ...key })
}

function toBody({ revision_id, body, title, frontmatter, note, ...bytes }: DraftBody) {
  // Without bytes of its own a draft shows those of its file.
  const {
    digest = null,
    size = null,
    content_type = null,
    width = null,
    height = null,
  } = revision_id === null ? {} : bytes
  return { revisionId: revision_id, body, title, frontmatter, note, digest, size, content_type, width, height }
}

/** Opens the new change request of the context with its first draft, so that nothing is left of it if that fails. */
async function openWithDraft(tx: OverlaidCtx & Tx, spaceId: number): Promise<number> {
  const { overlay } = tx
  const number = await openRequest(tx, spaceId, { title: overlay.title ?? '' })
  // Further writes of this context propose in the same request.
  tx.afterCommit(() => {
    overlay.number = number
  })
  return number
}

/** Locks the change request of the context, and opens it where it is new. */
async function lockOpen(tx: OverlaidCtx & Tx, { spaceId, path, draft }: DraftTarget): Promise<number> {
  const { number } = tx.overlay
  if (number === undefined) return openWithDraft(tx, spaceId)
  requireProposer(tx.actor)
  const request = await store.lockRequest.first(tx.db, { spaceId, number })
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
async function requireProposals(tx: Ctx & Tx, spaceId: number, proposals: Proposals) {
  if (proposals === 'readers') return
  const detail = 'This space takes no change requests.'
  if (proposals === 'off') throw new AppError('forbidden', detail)
  // The scope of a key that may only propose is no lower role.
  const [row] = await rankPaths({ db: tx.db, actor: { ...tx.actor, scope: 'admin' } }, spaceId, [''])
  if (row && mayPropose(proposals, row.rank)) return
  throw new AppError('forbidden', 'This space takes change requests of its editors only.')
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

export function closed(number: number, state: string): AppError {
  return new AppError('change_request_closed', `The change request ${number} is ${state}: it takes no more changes.`)
}
