import { hash } from 'node:crypto'
import { retryLater } from '@recto/contract/errors.ts'
import { countUses } from '../../access/limits/store-rate-lease.ts'
import type { Tx } from '../../platform/database/transaction.ts'

const HOUR_MS = 3600_000
/** Mails within an hour, over all nodes. */
const QUOTAS = { address: 5, sender: 50, organisation: 500, password: 3 } as const

/** Counts the mail of an invitation; throws `too_many_requests`, so that the transaction changes nothing. */
export async function limitInvitationMail(
  tx: Pick<Tx, 'db'>,
  { to, from }: { readonly to: string; readonly from: string },
): Promise<void> {
  await count(tx, {
    [`mail/address/${digest(to)}`]: 'address',
    [`mail/sender/${from}`]: 'sender',
    'mail/all': 'organisation',
  })
}

/** Counts the mail to a person who forgot their password: apart from invitations, which others send. */
export async function limitPasswordMail(tx: Pick<Tx, 'db'>, to: string): Promise<void> {
  await count(tx, { [`mail/password/${digest(to)}`]: 'password' })
}

async function count(tx: Pick<Tx, 'db'>, limits: Readonly<Record<string, keyof typeof QUOTAS>>): Promise<void> {
  for (const { key, used, ageMs } of await countUses(tx, Object.keys(limits), HOUR_MS)) {
    const by = limits[key]
    if (by === undefined || used <= QUOTAS[by]) continue
    const detail = `${WHO[by]} at most ${QUOTAS[by]} mails an hour: wait. Nothing was changed or sent.`
    throw retryLater('too_many_requests', detail, Math.max(1, Math.ceil((HOUR_MS - ageMs) / 1000)))
  }
}

const WHO = {
  address: 'Recto sends this address',
  sender: 'A person may send',
  organisation: 'Recto sends',
  password: 'Recto sends this address',
} as const

/** A hash, because addresses are nobody’s to read there. */
function digest(email: string): string {
  return hash('sha256', email, 'base64')
}
