import type { Ctx } from '../access/ctx.ts'
import { isKeyMaker } from '../access/keys/api-keys.ts'
import { changePrincipal, lockPrincipal } from '../access/principals.ts'
import { inTransaction } from '../database/transaction.ts'
import { AppError } from '../errors.ts'

/** Throws `forbidden` unless the caller may change their own profile. */
export function requireOwnProfile({ actor }: Ctx): void {
  if (!isKeyMaker(actor)) throw new AppError('forbidden', 'This needs a sign-in with full access.')
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
