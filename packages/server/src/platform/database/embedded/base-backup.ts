import { Client, DatabaseError } from 'pg'
import { copyMessages } from '../connections/copy-stream.ts'
import type { ConnectionSettings } from './server.ts'
import { damageError } from './start-error.ts'

/** The data of a backup: bytes of the archive of its files, then of the manifest that lists them all. */
export interface BackupPiece {
  readonly part: 'archive' | 'manifest'
  readonly bytes: Buffer
}

const COMMAND = `BASE_BACKUP (LABEL 'recto', CHECKPOINT 'fast', WAL, MANIFEST 'yes', MANIFEST_CHECKSUMS 'SHA256')`
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
    yield* toPieces(copyMessages(client, COMMAND))
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== DATA_CORRUPTED) throw error
    const places = warnings.slice(0, MAX_NAMED).join('; ') || error.message
    throw damageError(places)
  } finally {
    await client.end().catch(() => {})
  }
}

/** The first byte of a message is its type: a new archive, the manifest, data of either, or progress. */
async function* toPieces(lists: AsyncIterable<readonly Buffer[]>): AsyncGenerator<BackupPiece> {
  let part: BackupPiece['part'] = 'archive'
  for await (const messages of lists) {
    for (const message of messages) {
      const type = String.fromCharCode(message[0] ?? 0)
      if (type === 'm') part = 'manifest'
      if (type === 'd') yield { part, bytes: message.subarray(1) }
    }
  }
}
