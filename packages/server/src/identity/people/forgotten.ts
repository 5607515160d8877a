import { AppError } from '@recto/contract/errors.ts'
import { KeyedQueue, QueueFull } from '@recto/lib/concurrency/keyed-queue.ts'
import type { Runtime } from '../../access/ctx.ts'
import { inTransaction } from '../../platform/database/transaction.ts'
import { recordAuditEntry } from '../principals/audit.ts'
import { normalizedEmail } from '../principals/email.ts'
import { createFailureLimiter } from '../principals/failure-limiter.ts'
import { lockPrincipal } from '../principals/principals.ts'
import { issueLink, linkPath } from './links.ts'
import type { Mailer } from './mail.ts'
import { limitPasswordMail } from './mail-limits.ts'
import { passwordMail } from './mail-texts.ts'
import { findByEmail } from './store.ts'

export type ForgottenPasswords = ReturnType<typeof createForgottenPasswords>

const BY_ADDRESS = {
  maxFailures: 20,
  windowMs: 60 * 60_000,
  detail: 'Too many requests for new passwords from your address. Try again later.',
}
const MAX_WAITING = 100

type Deps = Pick<Runtime, 'db' | 'config' | 'log' | 'now'> & { readonly mailer: Mailer }

/** Sends links to people who forgot their password. */
export function createForgottenPasswords(deps: Deps) {
  const byAddress = createFailureLimiter(undefined, BY_ADDRESS)
  const queue = new KeyedQueue({ maxWaiting: MAX_WAITING })
  let last: Promise<void> = Promise.resolve()

  async function sendLink(email: string, address: string): Promise<void> {
    const link = await createLink(deps, email, address)
    if (!link) return
    const url = deps.config.publicUrl + linkPath(link.token)
    await deps.mailer.send(() => passwordMail(email, url), link.language)
  }

  function report(error: unknown): void {
    if (error instanceof AppError && error.code === 'too_many_requests') return
    const message =
      error instanceof QueueFull ? 'too many people forgot their passwords' : 'no link for a new password was sent'
    deps.log.error({ err: error }, message)
  }

  return {
    /**
     * Accepts a request for any e-mail address and returns before it is looked up: neither the result nor its time
     * reveals whether there is an account. Throws `too_many_requests` for an IP address with too many requests.
     */
    async request(email: string, address: string): Promise<void> {
      const end = await byAddress.begin(address)
      end(1)
      last = queue.run('mail', () => sendLink(normalizedEmail(email), address)).catch(report)
    },
    async [Symbol.asyncDispose]() {
      await last
    },
  }
}

async function createLink({ db, now }: Deps, email: string, address: string) {
  const row = await findByEmail.first(db, { email })
  // Whoever has only a provider signs in there, with all that it asks for.
  if (!row || (row.hash === null && row.has_identity)) return undefined
  return inTransaction({ db, now, address }, async (tx) => {
    const person = await lockPrincipal(tx, row.id)
    if (!person || person.disabled_at || person.email !== email) return undefined
    // Further mails within the hour are not sent.
    await limitPasswordMail(tx, email)
    const { token } = await issueLink(tx, { purpose: 'password', principalId: person.id, now: now() })
    const target = { type: 'principal', id: person.id, name: person.name } as const
    await recordAuditEntry({ ...tx, actor: person }, { action: 'password.forgotten', target })
    return { token, language: row.language }
  })
}
