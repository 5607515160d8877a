import { type CommandCall, CommandError, type Terminal, UsageError } from '@recto/cli/command.ts'
import { createStatusLine } from '@recto/cli/progress.ts'
import { byteSize } from '@recto/lib/text/byte-size.ts'
import { databaseUrl } from '../platform/config/database.ts'
import { Problem } from '../platform/config/parse.ts'
import { type Config, loadConfig } from '../platform/config.ts'
import { StartError } from '../platform/database/embedded/start-error.ts'
import { type Manifest, type Progress, sumUp } from '../platform/database/portable/format.ts'

/** `recto backup`: backs up the database to a file. */
export async function backupCommand({ terminal, arg, flag }: CommandCall): Promise<void> {
  const config = loadConfig(terminal.env)
  if (flag('portable')) return backUpPortably(terminal, config, arg('file'))
  requireEmbedded(config)
  const { backUp } = await import('../platform/database/embedded/backup.ts')
  const report = await backUp(config.data, arg('file'), config.postgresPrograms)
  terminal.out(`Backed up ${config.data} to ${report.file}: ${report.size} bytes.\n`)
}

/** `recto backup restore`: restores a database from a backup. */
export async function restoreCommand({ terminal, arg, flag, option }: CommandCall): Promise<void> {
  const config = loadConfig(terminal.env)
  const url = option('database-url')
  if (flag('portable')) {
    const target = url === undefined ? url : parseUrl('--database-url', url)
    return restorePortably(terminal, { ...config, databaseUrl: target }, arg('file'))
  }
  if (url !== undefined) throw new UsageError('--database-url needs --portable')
  requireEmbedded(config)
  const { restore } = await import('../platform/database/embedded/restore.ts')
  const { createdAt, files, tables, indexes, pages } = await restore(config.data, arg('file'), config.postgresPrograms)
  terminal.out(
    `Restored ${config.data} from the backup of ${createdAt}: ${files} files match the manifest, ` +
      `${tables} tables and ${indexes} indexes verified, ${pages} pages.\n`,
  )
}

async function backUpPortably(terminal: Terminal, config: Config, file: string): Promise<void> {
  const { backUpPortable } = await import('../platform/database/portable/backup.ts')
  const began = performance.now()
  const report = await withProgress(terminal, (progress) => backUpPortable(toPlace(config), file, progress))
  terminal.out(`Backed up to ${report.file}: ${byteSize(report.size)}, ${toSummary(report.manifest, began)}.\n`)
  if (!report.hasKey) terminal.out('SVC_SECRET_KEY is not in it: keep it yourself.\n')
  if (config.filesS3) terminal.out('The bytes of files are in the bucket: back it up as well.\n')
}

async function restorePortably(terminal: Terminal, config: Config, file: string): Promise<void> {
  const { restorePortable } = await import('../platform/database/portable/backup.ts')
  const began = performance.now()
  const report = await withProgress(terminal, (progress) => restorePortable(toPlace(config), file, progress))
  const { createdAt, recto } = report.description
  terminal.out(
    `Restored the backup of ${createdAt}, made by Recto ${recto}: ${toSummary(report.manifest, began)}; ` +
      'the rows of all tables were read again and compared with their digests.\n',
  )
}

/** `recto migrate-database`: moves the embedded database to another server. */
export async function migrateDatabaseCommand({ terminal, arg }: CommandCall): Promise<void> {
  const config = loadConfig(terminal.env)
  if (config.databaseUrl !== undefined)
    throw new CommandError('SVC_DATABASE_URL is set: unset it to move the database in SVC_DATA.')
  const url = parseUrl('the URL', arg('url'))
  const { moveDatabase } = await import('../platform/database/portable/move.ts')
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  const announce = ({ bytes, seconds }: { readonly bytes: number; readonly seconds: number }) =>
    terminal.err(
      `Moving ${byteSize(bytes)}. A service in ${config.data} goes on reading; ` +
        `its writes get 503 for about ${seconds} s, and then until it has the new database.\n`,
    )
  const began = performance.now()
  const { manifest, closedMs } = await withProgress(terminal, (progress) =>
    moveDatabase({
      data: config.data,
      programs: config.postgresPrograms,
      url,
      announce,
      progress,
      signal: stop.signal,
    }),
  )
  terminal.out(
    `Moved ${toSummary(manifest, began)}; the rows of all tables were read again and compared with their digests.\n` +
      `Writes have been closed for ${(closedMs / 1000).toFixed(1)} s, and stay so until the service is started with ` +
      `the new database: ` +
      `set SVC_DATABASE_URL to that URL, keep ${config.data} with its secret-key, and start it now.\n`,
  )
}

function toPlace({ data, databaseUrl: url, postgresPrograms: programs }: Config) {
  return { data, databaseUrl: url, programs }
}

function toSummary(manifest: Manifest, began: number): string {
  const { tables, rows, bytes } = sumUp(manifest)
  const seconds = Math.max((performance.now() - began) / 1000, 0.1)
  const rate = byteSize(Math.round(bytes / seconds))
  return `${tables} tables, ${rows} rows, ${byteSize(bytes)} of text in ${seconds.toFixed(1)} s (${rate}/s)`
}

/** Runs work with its progress on a terminal. What the system or a database rejects is told without a stack. */
async function withProgress<T>(terminal: Terminal, work: (progress: Progress) => Promise<T>): Promise<T> {
  const status = createStatusLine(terminal)
  let doneBytes = 0
  const progress: Progress = (table, bytes) => {
    doneBytes += bytes
    status.show(`${table}: ${byteSize(doneBytes)}`)
  }
  try {
    return await work(progress)
  } catch (error) {
    const isReported = error instanceof Error && ('syscall' in error || 'severity' in error)
    throw isReported ? new StartError(error.message, { cause: error }) : error
  } finally {
    status.end()
  }
}

function parseUrl(name: string, text: string): string {
  const url = databaseUrl(text)
  if (url instanceof Problem) throw new UsageError(`${name} ${url.message}`)
  return url
}

function requireEmbedded({ databaseUrl: url }: Config): void {
  if (url === undefined) return
  throw new CommandError(
    'the database is not embedded (SVC_DATABASE_URL is set): ' +
      'use --portable, or pg_dump, pg_basebackup or the tools of its host.',
  )
}
