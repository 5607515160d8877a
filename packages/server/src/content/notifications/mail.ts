import type { Runtime } from '../../access/ctx.ts'
import { WakeLoop } from '../../events/webhooks/wake-loop.ts'
import type { Mail, Mailer } from '../../identity/people/mail.ts'
import { joinParagraphs, nameInMail } from '../../identity/people/mail-texts.ts'
import { outsideRequests } from '../../platform/database/connections/request-scope.ts'
import { autocommit } from '../../platform/database/database.ts'
import { t } from '../../platform/language/t.ts'
import type { InboxFollower } from './follower.ts'
import { toNotification } from './notifications.ts'
import { claimMails, endClaims, type MailRow } from './store-mail.ts'
import { findDeed, toReasonWords } from './words.ts'

const POLL_MS = 15_000
/** After new notifications: longer than the wait for further ones of the same. */
const SOON_MS = 3_500
const INTERVAL_MS = 1_000
const PEOPLE = 20
/** A digest names so many, and leads to the rest. */
const MAX_NAMED = 50
const LIST = 'notification mail'

type MailRuntime = Pick<Runtime, 'db' | 'log' | 'config' | 'cursors'>

/**
 * Mails what people were told of, on every node: what is due is claimed in its row. A crash between sending and marking
 * sends twice, and loses nothing.
 */
export function startNotificationMail(runtime: MailRuntime, mailer: Mailer, inbox: InboxFollower): AsyncDisposable {
  const { db, log } = runtime
  let soon: NodeJS.Timeout | undefined
  const loop = new WakeLoop(async () => {
    try {
      if (await outsideRequests(() => sendDue(runtime, mailer))) loop.wake()
    } catch (error) {
      log.warn({ err: error }, 'notifications could not be mailed: the next poll tries again')
    }
  }, INTERVAL_MS)
  inbox.onNotified(() => {
    soon ??= setTimeout(() => {
      soon = undefined
      loop.wake()
    }, SOON_MS)
  })
  const poll = setInterval(() => loop.wake(), POLL_MS)
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(poll)
      clearTimeout(soon)
      await loop.stop()
    },
  }

  /** Whether something was due. */
  async function sendDue(ctx: MailRuntime, by: Mailer): Promise<boolean> {
    const claimedRows = await claimMails(autocommit(db), PEOPLE)
    for (const rows of toMailings(claimedRows)) {
      const dueRows = rows.filter((row) => row.is_due)
      const [first] = dueRows
      const isDone = !first || (await by.send(() => toMail(ctx, first, dueRows), first.language))
      await endClaims(autocommit(db), rows, isDone)
    }
    return claimedRows.length > 0
  }
}

/** The rows of each mail: one by one for who wants them at once, else all of a person. */
function toMailings(rows: readonly MailRow[]): MailRow[][] {
  return [...Map.groupBy(rows, (row) => (row.mail === 'immediate' ? row.id : row.principal_id)).values()]
}

function toMail(ctx: MailRuntime, first: MailRow, rows: readonly MailRow[]): Mail {
  const { publicUrl } = ctx.config
  const unsubscribe = `${publicUrl}/unsubscribe/${ctx.cursors.seal(LIST, [first.principal_id])}`
  const items = rows.slice(0, MAX_NAMED).map((row) => toItem(ctx, row))
  const more = rows.length - MAX_NAMED
  const inbox = `${publicUrl}/inbox`
  const isAlone = first.mail === 'immediate'
  return {
    to: first.email,
    subject: isAlone
      ? `[${first.space}] ${nameInMail(toNotification(ctx, first).title)}`
      : t('Recto: {count, plural, one {one notification} other {# notifications}}', { count: rows.length }),
    text: joinParagraphs(
      items.join('\n\n'),
      more > 0 && `${t('{more, plural, one {# more is} other {# more are}} in your inbox:', { more })}\n${inbox}`,
      `${t('You get this mail since you use Recto. How often you get it, you choose in your inbox:')}\n${inbox}`,
      `${t('No more mail of this kind:')}\n${unsubscribe}`,
    ),
    unsubscribe,
    about: { id: isAlone ? first.id : `${first.principal_id}.daily`, mail: `${first.id}.${first.mail_at.getTime()}` },
  }
}

function toItem(ctx: MailRuntime, row: MailRow): string {
  const notification = toNotification(ctx, row)
  const { title, actor } = notification
  return (
    `${nameInMail(title)}\n${t(findDeed(notification), { name: nameInMail(actor.name) })} ` +
    `(${toReasonWords(notification)})\n${ctx.config.publicUrl}/inbox/${row.id}`
  )
}

/** The person of the link in a mail that ends such mails; undefined: it is not one of ours. */
export function readUnsubscribeLink({ cursors }: Pick<Runtime, 'cursors'>, token: string): string | undefined {
  const [id] = cursors.open(LIST, token) ?? []
  return typeof id === 'string' ? id : undefined
}
