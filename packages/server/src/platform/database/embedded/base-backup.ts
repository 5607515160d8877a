import { Client, type Connection, DatabaseError, type Submittable } from 'pg'
import type { ConnectionSettings } from './server.ts'
import { damageError } from './start-error.ts'

/** The data of a backup: bytes of the archive of its files, then of the manifest that lists them all. */
export interface BackupPiece {
  readonly part: 'archive' | 'manifest'
  readonly bytes: Buffer
}

/** Back-pressure: the maximum of bytes that wait for the reader; then the server waits. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024
/** PostgreSQL, appendix A. The server warns of each damaged block, with its file, before it fails with the same code. */
const DATA_CORRUPTED = 'XX001'
const MAX_NAMED = 5

/**
 * Takes a physical backup of a running server with the replication protocol (BASE_BACKUP): a tar archive of its files
 * with all the log that they need to be consistent, while writers go on. The server checks every page against its
 * checksum. `superuser` connects to it.
 */
export async function* baseBackup(superuser: ConnectionSettings): AsyncGenerator<BackupPiece> {
  const settings = { ...superuser, ssl: false, replication: 'true', application_name: 'recto backup' }
  const client = new Client(settings)
  client.on('error', () => {})
  const warnings: string[] = []
  client.on('notice', ({ severity, message = '' }) => severity === 'WARNING' && warnings.push(message))
  await client.connect()
  try {
    // Ends with the connection. The log that is written meanwhile is retained for it.
    await client.query(`CREATE_REPLICATION_SLOT recto_backup_${process.pid} TEMPORARY PHYSICAL (RESERVE_WAL)`)
    const transfer = client.query(
      new Transfer(`BASE_BACKUP (LABEL 'recto', CHECKPOINT 'fast', WAL, MANIFEST 'yes', MANIFEST_CHECKSUMS 'SHA256')`),
    )
    yield* transfer.pieces()
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== DATA_CORRUPTED) throw error
    const places = warnings.slice(0, MAX_NAMED).join('; ') || error.message
    throw damageError(places)
  } finally {
    await client.end().catch(() => {})
  }
}

/** A command whose response is a stream of copy data, which pg does not expose. */
class Transfer implements Submittable {
  readonly #command: string
  #connection: Connection | undefined
  #waiting: BackupPiece[] = []
  #waitingBytes = 0
  #part: BackupPiece['part'] = 'archive'
  #ended = false
  #error: Error | undefined
  #wake: () => void = () => {}

  constructor(command: string) {
    this.#command = command
  }

  async *pieces(): AsyncGenerator<BackupPiece> {
    for (;;) {
      const pieces = this.#waiting
      this.#waiting = []
      this.#waitingBytes = 0
      this.#connection?.stream.resume()
      yield* pieces
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

  /** The first byte is the type: a new archive, the manifest, data of either, or progress. */
  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    const type = String.fromCharCode(chunk[0] ?? 0)
    if (type === 'm') this.#part = 'manifest'
    if (type !== 'd') return
    // The parser reuses its buffer.
    const bytes = Buffer.from(chunk.subarray(1))
    this.#waiting.push({ part: this.#part, bytes })
    this.#waitingBytes += bytes.length
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
