import type { CommandCall } from '@recto/cli/call.ts'
import { CommandError, type Terminal } from '@recto/cli/command.ts'
import { loadConfig } from '../platform/config.ts'

/** `recto backup`: backs up the embedded database to a file. */
export async function backupCommand({ terminal, arg }: CommandCall): Promise<void> {
  const data = embeddedData(terminal)
  const { backUp } = await import('../platform/database/embedded/backup.ts')
  const report = await backUp(data, arg('file'))
  terminal.out(`Backed up ${data} to ${report.file}: ${report.size} bytes.\n`)
}

/** `recto backup restore`: restores the embedded database from a backup. */
export async function restoreCommand({ terminal, arg }: CommandCall): Promise<void> {
  const data = embeddedData(terminal)
  const { restore } = await import('../platform/database/embedded/restore.ts')
  const { createdAt, files, tables, indexes, pages } = await restore(data, arg('file'))
  terminal.out(
    `Restored ${data} from the backup of ${createdAt}: ${files} files match the manifest, ` +
      `${tables} tables and ${indexes} indexes verified, ${pages} pages.\n`,
  )
}

function embeddedData({ env }: Terminal): string {
  const config = loadConfig(env)
  if (config.databaseUrl === undefined) return config.data
  throw new CommandError(
    'the database is not embedded (SVC_DATABASE_URL is set): back it up with pg_dump, pg_basebackup or the tools of its host.',
  )
}
