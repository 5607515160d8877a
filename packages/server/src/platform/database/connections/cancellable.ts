import pg from 'pg'
import { classifyFailure } from '../availability/failure.ts'
import { currentRequest, readLimit } from './request-scope.ts'

/** How long a cancelled statement may take to end before its connection is closed. */
const CANCEL_GRACE_MS = 1_000

/** A read was cancelled: at its time limit, or because its client has disconnected. */
export class CancelledError extends Error {
  readonly code = '57014'
  constructor(options: ErrorOptions) {
    super('canceling statement: it took too long, or nobody waits for it', options)
  }
}

export interface CancellableRead<T> {
  readonly client: pg.PoolClient
  readonly answer: Promise<T>
  /** How long it waited for its connection. */
  readonly waitedMs: number
  /** The client cannot be used again. */
  readonly onCancel: () => void
}

/** Cancels a read at its time limit, or when the client of the request disconnects. */
export async function cancellable<T>({ client, answer, waitedMs, onCancel }: CancellableRead<T>): Promise<T> {
  const request = currentRequest()
  let cancelled = false
  const cancel = () => {
    if (cancelled) return
    cancelled = true
    onCancel()
    sendCancelRequest(client)
    // A server that hangs, or a lost network, does not react to the cancel request.
    setTimeout(() => client.connection.stream.destroy(), CANCEL_GRACE_MS).unref()
  }
  if (request?.abandoned) cancel()
  const forget = request?.onLeave(cancel)
  const timer = setTimeout(cancel, readLimit(waitedMs))
  try {
    return await answer
  } catch (error) {
    throw cancelled && classifyFailure(error) === 'away' ? new CancelledError({ cause: error }) : error
  } finally {
    clearTimeout(timer)
    forget?.()
  }
}

/** pg's data about the server of a client, missing in its types. */
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
function sendCancelRequest(client: pg.ClientBase): void {
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
