import type { Transporter } from 'nodemailer'
import type { Log } from '../access/ctx.ts'
import type { MailConfig } from '../config/mail.ts'

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
}

/** Sends mail by the SMTP server of the deployment. */
export interface Mailer extends Disposable {
  /** Sends it within 20 seconds; false, with a line in the log, if the server did not take it. */
  send(mail: Mail): Promise<boolean>
}

const TIMEOUT_MS = 10_000
/** Connections that are kept open; further mails wait. */
const CONNECTIONS = 2

/** nodemailer is loaded with the first mail. */
export function createMailer({ url, from }: MailConfig, log: Log): Mailer {
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
    async send({ to, subject, text }) {
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
    [Symbol.dispose]() {
      transport?.then((opened) => opened.close()).catch(() => {}) // it was never opened
    },
  }
}
