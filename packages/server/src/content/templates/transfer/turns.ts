/** The place of a batch in the order in which an import writes its batches. */
export interface Turn {
  /**
   * The batch before has its connection: so a batch that waits for another one holds no connection that the other one
   * needs.
   */
  readonly mayConnect: Promise<unknown>
  /** The statements of the batch before are executed. Its commit may still be under way: it waits for nothing. */
  readonly mayWrite: Promise<unknown>
  /** To be called when this batch has its connection. */
  readonly connected: () => void
  /** To be called when nothing but the commit of this batch is left. */
  readonly executed: () => void
}

/**
 * Runs batches in the order of the calls, as far as their turns say; after one that fails the next ones fail with its
 * error.
 */
export function takeTurns(): <Result>(work: (turn: Turn) => Promise<Result>) => Promise<Result> {
  let mayConnect: Promise<unknown> = Promise.resolve()
  let mayWrite: Promise<unknown> = Promise.resolve()
  return (work) => {
    const connection = Promise.withResolvers<void>()
    const execution = Promise.withResolvers<void>()
    const done = work({ mayConnect, mayWrite, connected: connection.resolve, executed: execution.resolve })
    mayConnect = Promise.race([connection.promise, done])
    mayWrite = Promise.race([execution.promise, done])
    // Awaited by the next batch, if there is one, and `done` by the caller later. Until then none is an unhandled
    // rejection.
    for (const promise of [mayConnect, mayWrite, done]) promise.catch(() => {})
    return done
  }
}
