import pg from 'pg'

/** What pg knows of the server behind a client. Its types leave this out. */
interface Backend {
  readonly processID: number | null
  readonly secretKey: number | Buffer | null
  readonly host: string
  readonly port: number
  readonly ssl: pg.ClientConfig['ssl']
}

/** pg's connection: a socket that speaks the protocol. Its types leave out what is used of it. */
interface CancelConnection extends NodeJS.EventEmitter {
  readonly stream: { destroy(): void; setTimeout(ms: number, task: () => void): void }
  connect(port: number | string, host?: string): void
  requestSsl(): void
  cancel(processID: number, secretKey: number | Buffer): void
}

const CANCEL_MS = 2_000

/**
 * Asks the server to cancel what the client runs, on a connection of its own (PostgreSQL, 54.2.8). Only for reads: a write
 * that waits for its standbys would be reported as done when its wait is cancelled. The request may arrive after the
 * statement has ended, so whoever sends it closes the client's connection, and never uses it again.
 */
export function sendCancelRequest(client: pg.ClientBase): void {
  const { processID, secretKey, host, port, ssl } = client as unknown as Backend // as `Backend` says
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
