import pg from 'pg'

/** pg's data about the server behind a client, missing in its types. */
interface Backend {
  readonly processID: number | null
  readonly secretKey: number | Buffer | null
  readonly host: string
  readonly port: number
  readonly ssl: pg.ClientConfig['ssl']
}

/** pg's connection: a socket with the protocol. Its types omit the members used here. */
interface CancelConnection extends NodeJS.EventEmitter {
  readonly stream: { destroy(): void; setTimeout(ms: number, task: () => void): void }
  connect(port: number | string, host?: string): void
  requestSsl(): void
  cancel(processID: number, secretKey: number | Buffer): void
}

const CANCEL_MS = 2_000

/**
 * Cancels the current statement of a client, with a cancel request on a connection of its own (PostgreSQL, 54.2.8).
 * Only for reads: a write that waits for its standbys would be reported as done when its wait is cancelled. The
 * request may arrive after the statement has ended, so that the client's connection must be closed and never used
 * again.
 */
export function sendCancelRequest(client: pg.ClientBase): void {
  const { processID, secretKey, host, port, ssl } = client as unknown as Backend // see `Backend`
  if (processID === null || secretKey === null) return
  const connection = new pg.Connection({ ssl: ssl || false } as never) as unknown as CancelConnection
  const send = () => connection.cancel(processID, secretKey)
  connection.stream.setTimeout(CANCEL_MS, () => connection.stream.destroy())
  connection.on('error', () => connection.stream.destroy()) // the time limit of the server ends the statement then
  connection.on('connect', () => (ssl ? connection.requestSsl() : send()))
  connection.on('sslconnect', send)
  if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`)
  else connection.connect(port, host)
}
