import type { ClientBase, Connection, Submittable } from 'pg'

/** Back-pressure: the maximum of bytes that wait for the reader; then the server waits. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024

/** What pg's connection sends in a copy; its types leave these out. */
interface CopyConnection extends Connection {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
}

/** Runs a command whose response is copy data: `COPY ... TO STDOUT` or BASE_BACKUP. Yields messages in lists. */
export async function* copyMessages(client: ClientBase, command: string): AsyncGenerator<readonly Buffer[]> {
  yield* client.query(new CopyMessages(command)).lists()
}

/** Runs `COPY ... FROM STDIN` with these bytes, which end at the end of a row. */
export function copyIn(client: ClientBase, command: string, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    let failure: Error | undefined
    client.query({
      submit: (connection: Connection) => connection.query(command),
      handleCopyInResponse(connection: CopyConnection) {
        connection.sendCopyFromChunk(bytes)
        connection.endCopyFrom()
      },
      handleCommandComplete() {},
      handleError(error: Error) {
        failure = error
        // After the loss of the connection nothing else follows.
        reject(error)
      },
      handleReadyForQuery: () => (failure ? reject(failure) : resolve()),
    } as Submittable)
  })
}

class CopyMessages implements Submittable {
  readonly #command: string
  #connection: Connection | undefined
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #ended = false
  #error: Error | undefined
  #wake: () => void = () => {}

  constructor(command: string) {
    this.#command = command
  }

  async *lists(): AsyncGenerator<readonly Buffer[]> {
    for (;;) {
      const messages = this.#waiting
      this.#waiting = []
      this.#waitingBytes = 0
      this.#connection?.stream.resume()
      if (messages.length > 0) yield messages
      if (this.#error) throw this.#error
      if (this.#waiting.length > 0) continue
      if (this.#ended) return
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  submit(connection: Connection): void {
    this.#connection = connection
    connection.query(this.#command)
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    // The parser reuses its buffer.
    this.#waiting.push(Buffer.from(chunk))
    this.#waitingBytes += chunk.length
    if (this.#waitingBytes > MAX_WAITING_BYTES) this.#connection?.stream.pause()
    this.#wake()
  }

  handleError(error: Error): void {
    this.#error = error
    this.#wake()
  }

  handleReadyForQuery(): void {
    this.#ended = true
    this.#wake()
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
  handlePortalSuspended(): void {}
  handleEmptyQuery(): void {}
}
