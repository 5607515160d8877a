import type { Transporter } from 'nodemailer'
import type { Log } from '../../access/ctx.ts'
import type { MailConfig } from '../../platform/config/mail.ts'

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

export type Mailer = ReturnType<typeof createMailer>

const TIMEOUT_MS = 10_000
/** Connections that are kept open; further mails wait. */
const CONNECTIONS = 2

/** Sends mail by the SMTP server of the deployment. nodemailer is loaded with the first mail. */
export function createMailer({ url, from }: MailConfig, log: Log) {
  let transport: Promise<Transporter> | undefined

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
    /** Sends it within 20 seconds; false, with a line in the log, if the server did not take it. */
    async send({ to, subject, text }: Mail): Promise<boolean> {
      transport ??= connect()
      try {
        // An object, so that the address is not parsed as a list of addresses.
        await (await transport).sendMail({ from, to: { name: '', address: to }, subject, text })
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
