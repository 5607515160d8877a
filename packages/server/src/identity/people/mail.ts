import type { Transporter } from 'nodemailer'
import type { Log } from '../../access/ctx.ts'
import type { MailConfig } from '../../platform/config/mail.ts'
import { inLanguage, isScreenLanguage } from '../../platform/language/t.ts'
import { mailHtml } from './mail-html.ts'

export interface Mail {
  readonly to: string
  readonly subject: string
  /** Its HTML is made of it. */
  readonly text: string
  /** The id of what it is about, by which mail programs fold mails, and its own. */
  readonly about?: { readonly id: string; readonly mail: string }
  /** Ends such mails with one click, without a sign-in (RFC 8058). */
  readonly unsubscribe?: string
}

export type Mailer = ReturnType<typeof createMailer>

const TIMEOUT_MS = 10_000
/** Connections that are kept open; further mails wait. */
const CONNECTIONS = 2

/** Sends mail by the SMTP server of the deployment. nodemailer is loaded with the first mail. */
export function createMailer(config: MailConfig & { readonly language: string }, log: Log) {
  const { url, from } = config
  let transport: Promise<Transporter> | undefined
  const host = /@([^\s>]+)>?$/.exec(from)?.[1] ?? 'recto'

  async function connect(): Promise<Transporter> {
    const { createTransport } = await import('nodemailer')
    return createTransport({
      url,
      pool: true,
      maxConnections: CONNECTIONS,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }

  return {
    /**
     * Writes a mail in the language of its recipient, or that of the service, and sends it within 20 seconds; false,
     * with a line in the log, if the server did not take it.
     */
    async send(write: () => Mail, language: string | null): Promise<boolean> {
      transport ??= connect()
      const recipientLanguage = isScreenLanguage(language) ? language : config.language
      try {
        const { to, subject, text, about, unsubscribe } = inLanguage(recipientLanguage, write)
        // An object, so that the address is not parsed as a list of addresses.
        await (await transport).sendMail({
          from,
          to: { name: '', address: to },
          subject,
          text,
          html: inLanguage(recipientLanguage, () => mailHtml(text)),
          ...(about && {
            messageId: `<${about.mail}@${host}>`,
            inReplyTo: `<${about.id}@${host}>`,
            references: `<${about.id}@${host}>`,
          }),
          ...(unsubscribe && {
            headers: { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
          }),
        })
        return true
      } catch (error) {
        log.error({ err: error }, 'a mail could not be sent')
        return false
      }
    },
    [Symbol.dispose](): void {
      transport?.then((openTransporter) => openTransporter.close()).catch(() => {}) // it was never opened
    },
  }
}
