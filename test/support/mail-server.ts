import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export interface ReceivedMail {
  readonly to: readonly string[]
  readonly text: string
}

export interface MailServer extends AsyncDisposable {
  /** For SVC_SMTP_URL. */
  readonly url: string
  readonly mails: readonly ReceivedMail[]
  /** Whether mails are rejected. */
  refusing: boolean
}

/** A real SMTP server that keeps what it receives; it asks for the user `recto` with the password `secret`. */
export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  const state = { refusing: false }
  const server = new SMTPServer({
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth({ username, password }, _, done) {
      if (username === 'recto' && password === 'secret') done(null, { user: username })
      else done(new Error('no such user'))
    },
    onData(stream, session, done) {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        if (state.refusing) return done(new Error('no mail today'))
        const text = decodeParts(Buffer.concat(parts).toString())
        mails.push({ to: session.envelope.rcptTo.map(({ address }) => address), text })
        done()
      })
    },
  })
  server.on('error', () => {}) // connections that end while the test does
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo // it listens on TCP
  return {
    url: `smtp://recto:secret@127.0.0.1:${port}`,
    mails,
    get refusing() {
      return state.refusing
    },
    set refusing(value) {
      state.refusing = value
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** A mail whose parts can be read: base64 and quoted-printable (RFC 2045, section 6) are decoded. */
function decodeParts(mail: string): string {
  return mail
    .replace(/(base64\r\n\r\n)([\w+/=\r\n]+)/g, (_, head, data) => head + Buffer.from(data, 'base64').toString())
    .replaceAll('=\r\n', '')
    .replace(/(?:=[0-9A-F]{2})+/g, (bytes) => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString())
}
