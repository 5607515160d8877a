import { Problem } from './parse.ts'

/** How mail is sent. */
export interface MailConfig {
  /** `smtp:` or `smtps:`, with credentials. */
  readonly url: string
  /** The sender, such as `Recto <recto@example.org>`. */
  readonly from: string
}

/** Both settings or neither: one without the other is a mistake. */
export function mailConfig(
  url: string | undefined,
  from: string | undefined,
  problems: string[],
): MailConfig | undefined {
  if (url !== undefined && from !== undefined) return { url, from }
  if (url !== undefined || from !== undefined)
    problems.push('SVC_SMTP_URL, SVC_MAIL_FROM: both are needed to send mail')
  return undefined
}

/** The URL of the mail server. */
export function smtpUrl(text: string): string | Problem {
  const url = URL.parse(text)
  return url && ['smtp:', 'smtps:'].includes(url.protocol) && url.hostname !== ''
    ? text
    : new Problem('must be an address such as smtp://user:password@mail.example.org:587, or smtps://...:465')
}

/** The sender of mail. */
export function mailFrom(text: string): string | Problem {
  return /^([^<>\p{Cc}]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u.test(text)
    ? text
    : new Problem('must be an e-mail address, such as Recto <recto@example.org>')
}
