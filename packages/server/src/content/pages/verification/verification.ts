import { AppError } from '@recto/contract/errors.ts'
import type { PageAddress } from '@recto/contract/page-address.ts'
import { isInPerson } from '../../../access/caller.ts'
import { withoutRedirect } from '../../../access/missing.ts'
import { checkPreconditions, type Preconditions } from '../../../access/preconditions.ts'
import { parseFuture } from '../../../access/time.ts'
import { toVerification, type Verification, type VerifiedRow } from '../../../access/verification.ts'
import type { EventsCtx } from '../../../events/feed/ctx.ts'
import { recordEvents } from '../../../events/feed/record.ts'
import { recordAuditEntry } from '../../../identity/principals/audit.ts'
import { inTransaction, type Tx } from '../../../platform/database/transaction.ts'
import { findPage, type LocatedPage } from '../find.ts'
import { storeVerification } from './store-verification.ts'

type Row = VerifiedRow['verification']

/** What a person says of a page; null: nothing any more. */
interface Statement {
  readonly until: Date | null
  readonly preconditions: Preconditions
}

/** Says that the present version of a page is right. For editors in person. Repeating it changes nothing. */
export async function verifyPage(
  ctx: EventsCtx,
  address: PageAddress,
  { until, preconditions }: { readonly until?: string | undefined; readonly preconditions: Preconditions },
): Promise<Verification> {
  const end = until === undefined ? null : parseFuture(until, '/until', ctx.now())
  const { verification, version } = await setVerification(ctx, address, { until: end, preconditions })
  const present = toVerification({ verification }, version, ctx.now())
  if (!present) throw new Error('the verification was just stored')
  return present
}

/** Takes the verification of a page back. For editors in person. Repeating it changes nothing. */
export async function takeBackVerification(ctx: EventsCtx, address: PageAddress): Promise<void> {
  await setVerification(ctx, address, null)
}

/** Decides by what was read, and again if that has changed until it is stored. */
async function setVerification(ctx: EventsCtx, address: PageAddress, statement: Statement | null) {
  for (;;) {
    const outcome = await inTransaction(ctx, async (tx) => {
      const page = await findPage(tx, address, 'organizer').catch(withoutRedirect)
      if (!isInPerson(tx.actor)) throw notInPerson()
      if (statement) checkPreconditions(page.current, statement.preconditions)
      const verification = statement && toRow(tx, page, statement)
      const { version, verification: before } = page
      if (isSame(before, verification)) return { verification: before, version }
      if (!(await storeVerification(tx, page, verification))) return tx.noChange()
      await record(tx, page, verification)
      return { verification, version }
    })
    if (outcome) return outcome
  }
}

function toRow({ actor, now }: EventsCtx, { version }: LocatedPage, { until }: Statement): Row {
  const { id, name, kind } = actor
  return { version, by: { id, name, kind }, at: now().toISOString(), until: until?.toISOString() ?? null }
}

function isSame(before: Row, after: Row): boolean {
  if (!before || !after) return before === after
  const toTime = (text: string | null) => (text === null ? undefined : Date.parse(text))
  return (
    before.version === after.version && before.by.id === after.by.id && toTime(before.until) === toTime(after.until)
  )
}

/** The administrators who read the log must not see personal spaces. */
async function record(tx: EventsCtx & Tx, page: LocatedPage, verification: Row): Promise<void> {
  const { space_id: spaceId, space_slug: space, page_id: pageId, path, title, version } = page
  const kind = verification ? 'page.verified' : 'page.unverified'
  const until = verification && { until: verification.until }
  const { actor } = tx
  await recordEvents(tx, [{ kind, spaceId, pageId, actor, at: tx.now(), data: { path, title, version, ...until } }])
  if (page.space_kind === 'personal') return
  const target = { type: 'space', id: space, name: page.space_name, spaceId } as const
  await recordAuditEntry(tx, { action: kind, target, details: { path, version, ...until } })
}

function notInPerson(): AppError {
  const detail = 'Only a person who is signed in with a browser says that a page is right: no key, no app and no agent.'
  return new AppError('forbidden', detail)
}
