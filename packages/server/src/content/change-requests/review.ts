import { AppError, inputError } from '@recto/contract/errors.ts'
import { type Caller, includesScope, isInPerson } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import type { Preconditions } from '../../access/preconditions.ts'
import { lockRequest } from '../../access/store-drafts.ts'
import { toAccessSubject } from '../../access/visibility.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import { BUILT_IN } from './assess.ts'
import { type RequestAddress, requireOpen } from './requests.ts'
import type { SetCheck, WriteReview } from './schema.ts'
import * as reviews from './store-reviews.ts'

const MAX_REVIEWS = 1000
const MAX_CHECKS = 50

/** Gives a verdict on the changes that the caller read. Nobody approves what they wrote. */
export function reviewRequest(
  ctx: Ctx,
  address: RequestAddress,
  { verdict, body = '' }: WriteReview,
  preconditions: Preconditions,
): Promise<void> {
  if (verdict !== 'comment' && !includesScope(ctx.actor.scope, 'write')) {
    throw new AppError('forbidden', 'A verdict that counts needs a key with the scope `write`: send a comment.')
  }
  const now = ctx.now()
  return judge(ctx, address, preconditions, async (tx, key, drafts) => {
    const inPerson = isInPerson(tx.actor)
    const seenDrafts = toSeen(drafts, ({ direct_authors: direct, authors }) => {
      return (inPerson ? direct : authors).includes(tx.actor.id)
    })
    if (verdict === 'approve' && drafts.length > 0 && Object.keys(seenDrafts).length === 0) throw ownChanges(tx.actor)
    const review = { authorId: tx.actor.id, verdict, body, inPerson, seen: seenDrafts, now, max: MAX_REVIEWS }
    if (await reviews.insertReview(tx, key, review)) return
    throw new AppError('change_request_full', `A change request has at most ${MAX_REVIEWS} reviews.`)
  })
}

/** Stores what a program says of the changes that it read; it counts for those that its sender did not write. */
export function setCheck(
  ctx: Ctx,
  address: RequestAddress,
  check: SetCheck,
  preconditions: Preconditions,
): Promise<void> {
  if (BUILT_IN.includes(check.name)) {
    const detail = `The service makes the check \`${check.name}\` itself.`
    throw inputError('invalid_request', detail, '/name', 'is built in')
  }
  return judge(ctx, address, preconditions, async (tx, key, drafts) => {
    const seenDrafts = toSeen(drafts, ({ authors }) => authors.includes(tx.actor.id))
    const result = { ...check, seen: seenDrafts, senderId: tx.actor.id, now: tx.now(), max: MAX_CHECKS }
    if (await reviews.putResult(tx, key, result)) return
    throw new AppError('change_request_full', `A change request has at most ${MAX_CHECKS} checks.`)
  })
}

/** Stores what is said of an open request as its caller read it, under its lock: no draft changes meanwhile. */
async function judge(
  ctx: Ctx,
  address: RequestAddress,
  preconditions: Preconditions,
  store: (tx: Ctx & Tx, key: reviews.RequestKey, drafts: readonly reviews.ReviewedDraft[]) => Promise<void>,
): Promise<void> {
  for (;;) {
    const { space, row } = await requireOpen(ctx, address, preconditions)
    const key = { spaceId: space.id, number: row.number }
    const isStored = await inTransaction(ctx, async (tx) => {
      const lockedRow = await lockRequest.first(tx.db, key)
      if (lockedRow?.version !== row.version) return tx.noChange()
      await store(tx, key, await reviews.listReviewedDrafts(tx.db, toAccessSubject(tx.actor), key))
      await reviews.noteActivity(tx, key, tx.now())
      await tx.tellOfRequest(tx, key, 'reviewed')
      return true
    })
    if (isStored) return
  }
}

function toSeen(
  drafts: readonly reviews.ReviewedDraft[],
  isOwn: (draft: reviews.ReviewedDraft) => boolean,
): reviews.SeenDrafts {
  return Object.fromEntries(drafts.filter((draft) => !isOwn(draft)).map(({ id, version }) => [id, version]))
}

function ownChanges({ kind }: Caller): AppError {
  const detail = 'You wrote all changes that you can read of it, and nobody approves what they wrote.'
  const hint = kind === 'human' ? ' What an app wrote for you, you approve signed in with a browser.' : ''
  return new AppError('forbidden', detail + hint)
}
