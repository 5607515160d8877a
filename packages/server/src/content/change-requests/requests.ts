import { AppError, inputError } from '@recto/contract/errors.ts'
import { formatEtag } from '@recto/lib/network/header-values.ts'
import type { Ctx, Overlay } from '../../access/ctx.ts'
import { changeRequestUrl, requireProposer } from '../../access/overlay.ts'
import { checkPreconditions, type Preconditions } from '../../access/preconditions.ts'
import { closed, noChangeRequest, openRequest } from '../../access/save-draft.ts'
import { requireSpace, type SpaceAccess } from '../../access/space.ts'
import { lockRequest } from '../../access/store-drafts.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { toItem } from '../../platform/database/rows.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import { buildPage, type List, type PageQuery, parseWindow } from '../../platform/http/paging.ts'
import type { ChangeRequest, RequestState } from './schema.ts'
import * as store from './store.ts'
import { type RequestKey, setReviewers } from './store-reviews.ts'

export interface RequestAddress {
  readonly space: string
  readonly number: number
}

/** A change request as its reader has it, with its space. */
export interface KnownRequest {
  readonly space: SpaceAccess
  readonly row: store.RequestRow
}

/** A change request of a space that the caller reads with an account. */
export async function requireRequest(ctx: Ctx, { space: slug, number }: RequestAddress): Promise<KnownRequest> {
  const space = await requireSpace(ctx, slug, 'viewer')
  const row = await store.findRequest(ctx.db, toAccessSubject(ctx.actor), space.id, number)
  if (!row) throw noChangeRequest(number)
  return { space, row }
}

/** A request whose drafts are still there: they are deleted 90 days after its end. */
export async function requireDrafts(ctx: Ctx, address: RequestAddress): Promise<KnownRequest> {
  const request = await requireRequest(ctx, address)
  if (!request.row.drafts_deleted) return request
  const detail = `The change request ${request.row.number} ended more than 90 days ago: its drafts are deleted.`
  throw new AppError('drafts_deleted', detail)
}

/** An open request that a caller who may propose judges or changes as they have read it: `If-Match` says so. */
export async function requireOpen(
  ctx: Ctx,
  address: RequestAddress,
  preconditions: Preconditions,
): Promise<KnownRequest> {
  const request = await requireRequest(ctx, address)
  const { row } = request
  requireProposer(ctx.actor)
  if (row.state !== 'open') throw closed(row.number, row.state)
  checkPreconditions(toCurrentRequest(ctx, row), { ...preconditions, required: true }, 'change request')
  return request
}

/** The change requests of a space, or of all spaces that the caller can read; latest change first. */
export async function listChangeRequests(
  ctx: Ctx,
  input: PageQuery & {
    readonly space?: string
    readonly state?: RequestState
    readonly author?: string
    readonly reviewer?: string
    readonly path?: string
  },
): Promise<List<ChangeRequest>> {
  const { state, path } = input
  const space = input.space === undefined ? undefined : await requireSpace(ctx, input.space, 'viewer')
  const toId = (given: string | undefined) => (given === 'me' ? ctx.actor.id : given)
  const [authorId, reviewerId] = [toId(input.author), toId(input.reviewer)]
  const filter = JSON.stringify([state, authorId, reviewerId, path])
  const name = `change-requests/${space?.id ?? ''}/${ctx.actor.id}/${filter}`
  const window = parseWindow(ctx, name, input, ['time', 'integer', 'integer'])
  const [at, spaceId, number] = window.after ?? []
  const rows = await store.listRequests(ctx.db, toAccessSubject(ctx.actor), {
    spaceId: space?.id ?? null,
    state,
    authorId,
    reviewerId,
    path,
    after: window.after && [String(at), Number(spaceId), Number(number)],
    limit: window.limit + 1,
  })
  return buildPage(window, rows, ['sorted_at', 'space_id', 'number'], (row) => toChangeRequest(ctx, row))
}

/** Opens a change request of a space, without a change. */
export async function createChangeRequest(
  ctx: Ctx,
  slug: string,
  request: { readonly title: string; readonly description?: string; readonly reviewers?: string[] },
): Promise<ChangeRequest> {
  const { reviewers = [], ...input } = request
  const space = await requireSpace(ctx, slug, 'viewer')
  return inTransaction(ctx, async (tx) => {
    const number = await openRequest(tx, space.id, input)
    await ask(tx, { spaceId: space.id, number }, reviewers)
    const newRequest = await readRequest(tx, space.id, number)
    await tx.saveIdempotentResult(newRequest)
    return newRequest
  })
}

/** Asks for reviews. */
async function ask(tx: Tx, key: RequestKey, reviewers: readonly string[]): Promise<void> {
  const [unknown] = await setReviewers(tx, key, reviewers)
  if (unknown === undefined) return
  const detail = `\`${unknown}\` is nobody who can read the space.`
  throw inputError('invalid_request', detail, '/reviewers', 'names somebody who cannot read the space')
}

/** What changes a request, under its lock. */
type Change = (tx: Ctx & Tx, key: RequestKey, request: KnownRequest) => Promise<void>

/** Changes a request, for its author and the admins of the space. */
async function changeRequest(
  ctx: Ctx,
  address: RequestAddress,
  change: Change,
  preconditions?: Preconditions,
): Promise<ChangeRequest> {
  for (;;) {
    const request = await requireDrafts(ctx, address)
    const { space, row } = request
    if (row.author.id !== ctx.actor.id && space.rank < 3) {
      throw new AppError('forbidden', 'Only its author and admins of the space may do this to a change request.')
    }
    if (preconditions) checkPreconditions(toCurrentRequest(ctx, row), preconditions, 'change request')
    const changedRequest = await inTransaction(ctx, async (tx) => {
      const key = { spaceId: space.id, number: row.number }
      const lockedRow = await lockRequest.first(tx.db, key)
      if (lockedRow?.version !== row.version) return tx.noChange()
      await change(tx, key, request)
      return readRequest(tx, key.spaceId, key.number)
    })
    if (changedRequest) return changedRequest
  }
}

/** Changes the title, the description or the reviewers of a request. */
export function updateChangeRequest(
  ctx: Ctx,
  address: RequestAddress,
  { reviewers, ...change }: { readonly title?: string; readonly description?: string; readonly reviewers?: string[] },
  preconditions: Preconditions,
): Promise<ChangeRequest> {
  const update: Change = async (tx, key) => {
    if (reviewers) await ask(tx, key, reviewers)
    await store.updateRequest(tx, key, { ...change, now: tx.now() })
    await tx.tellOfRequest(tx, key, 'updated')
  }
  return changeRequest(ctx, address, update, preconditions)
}

/** Closes a request, or opens a closed one again; one that is so already stays as it is. */
export function endChangeRequest(ctx: Ctx, address: RequestAddress, state: 'open' | 'closed'): Promise<ChangeRequest> {
  return changeRequest(ctx, address, async (tx, key, { row }) => {
    if (row.state === 'merged') throw closed(row.number, row.state)
    if (row.state === state) return
    await store.setState(tx, key, { state, actorId: tx.actor.id, now: tx.now() })
    await tx.tellOfRequest(tx, key, state === 'open' ? 'opened' : 'closed')
  })
}

/** Runs writes that propose in a change request; a new one, which the first of them opens, goes again if they fail. */
export async function orDiscardNew<T>(ctx: Ctx, overlay: Overlay, writes: () => Promise<T>): Promise<T> {
  const isNew = overlay.number === undefined
  try {
    return await writes()
  } catch (error) {
    if (isNew && overlay.number !== undefined)
      await deleteChangeRequest(ctx, { space: overlay.space, number: overlay.number })
    throw error
  }
}

/** Deletes a request of which nothing is merged. */
export async function deleteChangeRequest(ctx: Ctx, address: RequestAddress): Promise<void> {
  const { space, row } = await requireRequest(ctx, address)
  if (row.author.id !== ctx.actor.id && space.rank < 3) {
    throw new AppError('forbidden', 'Only its author and admins of the space may delete a change request.')
  }
  await inTransaction(ctx, async (tx) => {
    await tx.tellOfRequest(tx, { spaceId: space.id, number: row.number }, 'closed')
    if (await store.deleteRequest(tx, { spaceId: space.id, number: row.number })) return
    if (tx.commitOutcomeUnknown && !(await lockRequest.first(tx.db, { spaceId: space.id, number: row.number }))) return
    throw new AppError(
      'change_request_closed',
      'A change request of which something is merged stays: close it instead.',
    )
  })
}

/** A request of this transaction, for its response. */
export async function readRequest(tx: Ctx & Tx, spaceId: number, number: number): Promise<ChangeRequest> {
  const row = await store.findRequest(tx.db, toAccessSubject(tx.actor), spaceId, number)
  if (!row) throw noChangeRequest(number)
  return toChangeRequest(tx, row)
}

/** The state of a request for conditional requests. */
export function toCurrentRequest({ config }: Pick<Ctx, 'config'>, row: store.RequestRow) {
  const { etag, updatedAt, author: updatedBy } = toChangeRequest({ config }, row)
  return { version: row.tag, etag, updatedAt, updatedBy }
}

/** A change request as the API shows it. */
export function toChangeRequest({ config }: Pick<Ctx, 'config'>, row: store.RequestRow): ChangeRequest {
  const { space_id: _, drafts_deleted: _deleted, version: _version, tag, sorted_at: _at, ...shown } = row
  const url = changeRequestUrl(config.publicUrl, row.space, row.number)
  return { ...toItem(shown), etag: formatEtag(tag), url }
}
