import { loadConfig } from '../config.ts'
import type { CommandCall } from './call.ts'
import { CommandError, EXIT, type Terminal } from './command.ts'

/** `recto backup`: the embedded database into one file. */
export async function backupCommand({ terminal, arg }: CommandCall): Promise<number> {
  const data = embeddedData(terminal)
  const { backUp } = await import('../database/embedded/backup.ts')
  const report = await backUp(data, arg('file'))
  terminal.out(`Backed up ${data} to ${report.file}: ${report.size} bytes.\n`)
  return EXIT.done
}

/** `recto restore`: the embedded database out of such a file. */
export async function restoreCommand({ terminal, arg }: CommandCall): Promise<number> {
  const data = embeddedData(terminal)
  const { restore } = await import('../database/embedded/restore.ts')
  const { createdAt, files, tables, indexes, pages } = await restore(data, arg('file'))
  terminal.out(
    `Restored ${data} from the backup of ${createdAt}: ${files} files as the manifest says, ` +
      `${tables} tables and ${indexes} indexes checked, ${pages} pages.\n`,
  )
  return EXIT.done
}

function embeddedData({ env }: Terminal): string {
  const config = loadConfig(env)
  if (config.databaseUrl === undefined) return config.data
  throw new CommandError(
    'the database of SVC_DATABASE_URL is your own: back it up with pg_dump, pg_basebackup or what its host offers.',
  )
}
