import type pg from 'pg'
import { failureOf } from '../availability/failure.ts'
import { readLimit } from '../limits.ts'
import { sendCancelRequest } from './cancel.ts'
import { currentRequest } from './request-scope.ts'

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
    throw cancelled && failureOf(error) === 'away' ? new CancelledError({ cause: error }) : error
  } finally {
    clearTimeout(timer)
    forget?.()
  }
}
