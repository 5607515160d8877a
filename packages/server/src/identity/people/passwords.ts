import { createHash } from 'node:crypto'
import { AppError, inputError } from '@recto/contract/errors.ts'
import { isUnlimited } from '../../access/caller.ts'
import type { Ctx, Runtime } from '../../access/ctx.ts'
import { inTransaction } from '../../platform/database/transaction.ts'
import { recordAuditEntry } from '../principals/audit.ts'
import { normalizedEmail } from '../principals/email.ts'
import type { FailedAuthentications } from '../principals/failed-authentications.ts'
import { createFailureLimiter } from '../principals/failure-limiter.ts'
import { deleteLinks } from '../principals/principals.ts'
import { confirmSession, requireConfirmation } from '../sessions/confirmation.ts'
import { deleteSessions } from '../sessions/sessions.ts'
import { hashPassword, verifyPassword } from './password-hash.ts'
import { checkNewPassword } from './password-rules.ts'
import { requireOwnSignIn } from './profile.ts'
import { findByEmail, findOwnPassword, isStored, putPassword } from './store.ts'

/** Of one account, from any address: some 1,000 guesses a day on each node. */
const ACCOUNT_LIMITS = {
  maxFailures: 10,
  windowMs: 15 * 60_000,
  detail: 'Too many failed sign-ins to this account. Try again later, or sign in another way.',
} as const

type Deps = Pick<Runtime, 'db'> & { readonly failures: Pick<FailedAuthentications, 'add'> }

/** The caller's current name and e-mail address, and whether a password is set. */
export async function ownAccount(ctx: Ctx) {
  const own = await findOwnPassword.first(ctx.db, ctx.actor)
  return { name: own?.name ?? ctx.actor.name, email: own?.email ?? null, isSet: own !== undefined && own.hash !== null }
}

/** Sign-in with passwords, and changes of them. Failures are limited by account and address, apart from keys. */
export class Passwords {
  readonly #deps: Deps
  readonly #limited = limitChecks()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The id of the person; undefined after the same time for any failure. */
  async signIn(
    { email, password }: { readonly email: string; readonly password: string },
    address: string,
  ): Promise<string | undefined> {
    const { db, failures } = this.#deps
    const emailAddress = normalizedEmail(email)
    let id: string | undefined
    const check = async () => {
      const row = await findByEmail.first(db, { email: emailAddress })
      const ok = await verifyPassword(password, row?.hash ?? undefined)
      id = row?.id
      return ok
    }
    try {
      if (await this.#limited(accountKey(emailAddress), address, check)) return id
    } catch (error) {
      if (error instanceof AppError && error.code === 'too_many_requests') failures.add(address, { throttled: true })
      throw error
    }
    failures.add(address, { throttled: false })
    return undefined
  }

  /** Sets the caller's password and ends all other sessions of the caller. The first one needs no `current`. */
  async change(
    ctx: Ctx,
    { current, password }: { readonly current: string; readonly password: string },
  ): Promise<void> {
    if (!isUnlimited(ctx.actor)) throw new AppError('forbidden', 'This needs a sign-in with full access.')
    const own = await findOwnPassword.first(ctx.db, ctx.actor)
    if (!own?.email) throw noEmail()
    const { hash: before } = own
    if (before !== null) {
      const check = () => verifyPassword(current, before)
      if (!(await this.#limited(accountKey(own.email), undefined, check))) throw wrongPassword('current')
    } else await requireConfirmation(ctx)
    await checkNewPassword(password)
    if (before === null) requireOwnSignIn(ctx)
    await store(ctx, await hashPassword(password), before === null ? 'password.set' : 'password.changed')
  }

  /** Checks the caller's password again; throws `invalid_request` if it is not right. */
  async confirm(ctx: Ctx, password: string): Promise<void> {
    const own = await findOwnPassword.first(ctx.db, ctx.actor)
    const account = accountKey(own?.email ?? ctx.actor.id)
    const check = () => verifyPassword(password, own?.hash ?? undefined)
    if (!(await this.#limited(account, ctx.address, check))) throw wrongPassword('confirmPassword')
    await confirmSession(ctx)
  }
}

/**
 * Runs a check of a password; its result counts for the account, or whatever else has a password, and for the address
 * if there is one. `detail` is the error of those that have too many failures.
 */
export function limitChecks(detail: string = ACCOUNT_LIMITS.detail) {
  const byAddress = createFailureLimiter()
  const byAccount = createFailureLimiter(undefined, { ...ACCOUNT_LIMITS, detail })
  return async (account: string, address: string | undefined, check: () => Promise<boolean>) => {
    const endAddress = address === undefined ? undefined : await byAddress.begin(address)
    try {
      const endAccount = await byAccount.begin(account)
      const ok = await check().catch((error: unknown) => {
        endAccount(0)
        throw error
      })
      endAccount(ok ? 0 : 1)
      endAddress?.(ok ? 0 : 1)
      return ok
    } catch (error) {
      // The check could not be made: that is no failure of the caller.
      endAddress?.(0)
      throw error
    }
  }
}

async function store(ctx: Ctx, hash: string, action: 'password.set' | 'password.changed'): Promise<void> {
  const { id, name, sessionId } = ctx.actor
  await inTransaction(ctx, async (tx) => {
    if (tx.commitOutcomeUnknown && (await isStored(tx, id, hash))) return
    await putPassword(tx, { principalId: id, hash, now: ctx.now() })
    await deleteSessions(tx, id, { except: sessionId })
    await deleteLinks(tx, id)
    await recordAuditEntry(tx, { action, target: { type: 'principal', id, name } })
  })
}

/** A hash, so that a long address does not take memory. */
function accountKey(email: string): string {
  return createHash('sha256').update(email).digest('base64')
}

function wrongPassword(field: string): AppError {
  return inputError('invalid_request', 'The password is not right.', `/${field}`, 'is not your password')
}

function noEmail(): AppError {
  const detail = 'Your account has no e-mail address to sign in with. Ask an organisation admin to add it.'
  return new AppError('invalid_request', detail)
}
