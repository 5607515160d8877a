import type { Ctx } from '../../access/ctx.ts'
import { listCredentials } from './passkeys/store.ts'
import { ownAccount } from './passwords.ts'

/** The ways in which the caller can sign in with what the caller has or knows. */
export async function ownSignInMethods(ctx: Ctx) {
  const [{ isSet }, credentials] = await Promise.all([ownAccount(ctx), listCredentials(ctx.db, ctx.actor.id)])
  return { password: isSet, passkey: credentials.length > 0 }
}
