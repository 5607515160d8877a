import { createReadStream, existsSync } from 'node:fs'
import { Readable } from 'node:stream'
import { ApiError, ConnectionError } from '@recto/client/transport/errors.ts'
import type { ImportReport } from '@recto/client/types.ts'
import { counted } from '@recto/lib/text/counted.ts'
import { type CommandCall, CommandError, EXIT, type Terminal, UsageError } from '../command.ts'
import { openClient } from '../connection.ts'
import { errorText } from '../report-error.ts'
import { saveStream } from '../save-stream.ts'
import { oneLine } from '../table.ts'

/** `recto export`: writes a space to a temporary file and renames it when it is complete. */
export async function exportCommand(call: CommandCall): Promise<void> {
  const [file, space] = [call.arg('file'), call.option('space')]
  if (!space) throw new UsageError('name the space to export with --space')
  if (existsSync(file)) throw new CommandError(`${file} already exists`)
  const format = file.endsWith('.zip') ? 'zip' : 'json'
  const body = await openClient(call.terminal).spaces.export(space, { format, history: call.flag('history') })
  await saveStream(body, file, 'export')
  call.terminal.out(`Exported \`${space}\` to ${file}.\n`)
}

/** Uploads a bundle or an archive and prints the report; the exit code says whether all of it was imported. */
export async function importFile(
  terminal: Terminal,
  input: {
    readonly file: string
    readonly space: string
    readonly onConflict: 'fail' | 'skip' | 'overwrite'
    readonly dryRun: boolean
    readonly frontMatter: boolean
  },
): Promise<number> {
  const { file, space, ...options } = input
  const upload = Readable.toWeb(createReadStream(file)) as ReadableStream<Uint8Array>
  const importResult = openClient(terminal).spaces.import(space, upload, options)
  const report = await importResult.catch((error: unknown) => {
    if (error instanceof ApiError)
      throw new CommandError(`the import was rejected (${error.status}): ${errorText(error)}`)
    if (error instanceof ConnectionError) throw new CommandError(error.message)
    throw error
  })
  terminal.out(
    `${input.dryRun ? 'Dry run, nothing was written: ' : ''}${report.created} created, ${report.updated} updated, ` +
      `${report.unchanged} unchanged, ${report.skipped} skipped; ${report.ignoredFiles} other files ignored.\n`,
  )
  const { files } = report
  if (files.total > 0) {
    terminal.out(
      `Files: ${files.created} created, ${files.updated} updated, ${files.unchanged} unchanged, ` +
        `${files.skipped} skipped.\n`,
    )
  }
  const more = report.ignoredFiles - report.ignoredFileNames.length
  const reasons = new Map(report.refused?.map(({ path, message }) => [path, message]))
  for (const name of report.ignoredFileNames) {
    const reason = reasons.get(name)
    terminal.out(`  ${oneLine(reason === undefined ? name : `${name}: ${reason}`)}\n`)
  }
  if (more > 0) terminal.out(`  and ${more} more\n`)
  for (const { from, to } of report.redirectsEnded ?? [])
    terminal.out(`${oneLine(`${from.space}/${from.path} no longer redirects to ${to.space}/${to.path}.`)}\n`)
  outFrontMatter(terminal, report)
  return report.refused === undefined ? EXIT.done : EXIT.partial
}

function outFrontMatter(terminal: Terminal, report: ImportReport): void {
  const { keptFrontMatter: count, keptFrontMatterPages: listedPages } = report
  if (count === 0) return
  terminal.out(`Front matter of ${counted(count, 'page')} stays text:\n`)
  for (const { path, message } of listedPages) terminal.out(`  ${oneLine(`${path}: ${message}`)}\n`)
  if (count > listedPages.length) terminal.out(`  and ${count - listedPages.length} more\n`)
}
