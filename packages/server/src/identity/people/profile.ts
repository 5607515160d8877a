import { AppError } from '@recto/contract/errors.ts'
import { isUnlimited } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { inTransaction } from '../../platform/database/transaction.ts'
import { changePrincipal, lockPrincipal } from '../principals/principals.ts'

/** Throws `forbidden` where another made the key of the session: it makes no way to sign in of the person. */
export function requireOwnSignIn({ actor }: Ctx): void {
  if (actor.personal) return
  const detail = 'An admin made the key of this session: ask for a one-time link to choose a password with.'
  throw new AppError('forbidden', detail)
}

/** Throws `forbidden` unless the caller may change their own profile. */
export function requireOwnProfile({ actor }: Ctx): void {
  if (!isUnlimited(actor)) throw new AppError('forbidden', 'This needs a sign-in with full access.')
}

/** Changes the caller's own name; a change without a difference records no audit event. */
export async function changeOwnName(ctx: Ctx, name: string): Promise<void> {
  requireOwnProfile(ctx)
  const { id } = ctx.actor
  await inTransaction(ctx, async (tx) => {
    const before = await lockPrincipal(tx, id)
    if (!before || before.name === name) return
    await changePrincipal(tx, before, { name })
  })
}
