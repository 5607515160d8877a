import { parseArgs } from 'node:util'
import { loadConfig } from '../config.ts'
import { CommandError, EXIT, runCommand, type Terminal, UsageError } from './command.ts'

const BACKUP_USAGE = `usage: recto backup <file>

Writes the embedded database of the data folder (SVC_DATA) to a new file, while the service goes on. All
that was acknowledged before is in it. The file holds every page and every secret of the service: keep it
as you keep those. With a database of your own (SVC_DATABASE_URL) use its own tools.
`

const RESTORE_USAGE = `usage: recto restore <file>

Makes the embedded database of a data folder (SVC_DATA) that has none from the file of a backup. Every file
is checked against the backup's manifest, then the server is started on it, and every table and index is
checked. The service must not run on the folder.
`

/** `recto backup`: the embedded database into one file. */
export function backupCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  return runCommand(BACKUP_USAGE, args, terminal, async () => {
    const file = onlyFile(args)
    const data = embeddedData(terminal)
    const { backUp } = await import('../database/embedded/backup.ts')
    const report = await backUp(data, file)
    terminal.out(`Backed up ${data} to ${report.file}: ${report.size} bytes.\n`)
    return EXIT.done
  })
}

/** `recto restore`: the embedded database out of such a file. */
export function restoreCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  return runCommand(RESTORE_USAGE, args, terminal, async () => {
    const file = onlyFile(args)
    const data = embeddedData(terminal)
    const { restore } = await import('../database/embedded/restore.ts')
    const { createdAt, files, tables, indexes, pages } = await restore(data, file)
    terminal.out(
      `Restored ${data} from the backup of ${createdAt}: ${files} files as the manifest says, ` +
        `${tables} tables and ${indexes} indexes checked, ${pages} pages.\n`,
    )
    return EXIT.done
  })
}

function onlyFile(args: readonly string[]): string {
  const { positionals } = parseArgs({ args: [...args], allowPositionals: true })
  const [file, ...rest] = positionals
  if (file === undefined) throw new UsageError('name the file')
  if (rest.length > 0) throw new UsageError(`one file at a time: ${rest.join(' ')} is too much`)
  return file
}

function embeddedData({ env }: Terminal): string {
  const config = loadConfig(env)
  if (config.databaseUrl === undefined) return config.data
  throw new CommandError(
    'the database of SVC_DATABASE_URL is your own: back it up with pg_dump, pg_basebackup or what its host offers.',
  )
}
