import type pg from 'pg'

/*
 * Binary `COPY (select ...) to stdout` of one column of bytes, which is never null. pg reads the rows of other
 * statements as text: hexadecimal digits, which are decoded on the main thread.
 */

interface BytesRow {
  readonly data: Buffer
}

/** The signature, flags and length of the extension at the beginning of the first message. */
const HEADER_BYTES = 19
/** In place of the number of fields: the end of the rows. */
const END = -1
/** The number of fields and the length of the first. */
const FIELD_HEADER_BYTES = 6

/** Whether a statement is such a copy. Replicas run none: it cannot be sent with the check of their position. */
export function isCopy(text: string): boolean {
  return text.startsWith('copy (')
}

/** Runs a copy; the server has no bind parameters for it. */
export function copyOut(client: pg.ClientBase, text: string): Promise<BytesRow[]> {
  return new Promise((resolve, reject) => {
    client.query(new CopyOut(text, resolve, reject))
  })
}

/** What pg's client calls on a submitted query. */
class CopyOut implements pg.Submittable {
  readonly text: string
  readonly #rows: BytesRow[] = []
  readonly #resolve: (rows: BytesRow[]) => void
  readonly #reject: (error: Error) => void
  #begun = false

  constructor(text: string, resolve: (rows: BytesRow[]) => void, reject: (error: Error) => void) {
    this.text = text
    this.#resolve = resolve
    this.#reject = reject
  }

  submit(connection: pg.Connection): void {
    connection.query(this.text)
  }

  /** The server sends a message for each row. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    const row = this.#begun ? chunk : chunk.subarray(HEADER_BYTES)
    this.#begun = true
    if (row.readInt16BE() === END) return
    // A copy: pg uses the memory of its messages again.
    this.#rows.push({ data: Buffer.from(row.subarray(FIELD_HEADER_BYTES)) })
  }

  handleCommandComplete(): void {}

  handleError(error: Error): void {
    this.#reject(error)
  }

  handleReadyForQuery(): void {
    this.#resolve(this.#rows)
  }
}
