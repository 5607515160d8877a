import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { CommandError, EXIT, runCommand, type Terminal, UsageError } from './command.ts'
import { CONNECTION_HELP, connect, connectionOf } from './connection.ts'

const USAGE = `usage: recto export <file> --space <slug> [--history]

Writes a space to a new file: a ZIP archive of Markdown files where its name ends in .zip, else one
bundle of JSON. \`recto import\` takes both.

Options:
  --space <slug>  the space to export; \`personal\` is your own
  --history       with all revisions, their notes, authors and times
  -h, --help      print this

${CONNECTION_HELP}`

export const CONFLICTS = ['fail', 'skip', 'overwrite'] as const
export type OnConflict = (typeof CONFLICTS)[number]

/** `recto export`: a whole space into one file, which has its name only when it is whole. */
export function exportCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  return runCommand(USAGE, args, terminal, async () => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { space: { type: 'string' }, history: { type: 'boolean' } },
    })
    const [file, ...rest] = positionals
    if (file === undefined || rest.length > 0) throw new UsageError('name the one file to write')
    if (!values.space) throw new UsageError('name the space to export with --space')
    if (existsSync(file)) throw new CommandError(`${file} exists: name a file that does not`)
    await connect(terminal)
    const format = file.endsWith('.zip') ? 'zip' : 'json'
    const target = `/spaces/${encodeURIComponent(values.space)}/export?format=${format}&history=${values.history === true}`
    const response = await ask(terminal, target, { method: 'GET' })
    const draft = `${file}.partial-${process.pid}`
    try {
      const body = Readable.fromWeb(response.body as import('node:stream/web').ReadableStream)
      await pipeline(body, createWriteStream(draft, { flags: 'wx', flush: true }))
      await rename(draft, file)
    } catch (error) {
      await rm(draft, { force: true })
      throw new CommandError(`the export broke off: ${(error as Error).message}`)
    }
    terminal.out(`Exported \`${values.space}\` to ${file}.\n`)
    return EXIT.done
  })
}

/** Sends a bundle or an archive to be imported, and tells what came of it. */
export async function importFile(
  terminal: Terminal,
  input: {
    readonly file: string
    readonly space: string
    readonly onConflict: OnConflict
    readonly dryRun: boolean
  },
): Promise<number> {
  const query = `onConflict=${input.onConflict}&dryRun=${input.dryRun}`
  const response = await ask(terminal, `/spaces/${encodeURIComponent(input.space)}/import?${query}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/octet-stream' },
    body: Readable.toWeb(createReadStream(input.file)) as ReadableStream,
    duplex: 'half',
  })
  const report = (await response.json()) as Readonly<Record<string, number>> // as the API's schema says
  terminal.out(
    `${input.dryRun ? 'Nothing was written. It would be: ' : ''}${report.created} created, ${report.updated} updated, ` +
      `${report.unchanged} unchanged, ${report.skipped} skipped; ${report.ignoredFiles} other files left alone.\n`,
  )
  return EXIT.done
}

async function ask(
  terminal: Terminal,
  target: string,
  init: RequestInit & { readonly duplex?: 'half' },
): Promise<Response> {
  const { url, key } = connectionOf(terminal)
  const response = await fetch(url + target, {
    ...init,
    headers: { ...init.headers, Authorization: `Bearer ${key}` },
  })
  if (response.ok) return response
  const problem = (await response.json().catch(() => ({}))) as { readonly detail?: string }
  throw new CommandError(`refused (${response.status}): ${problem.detail ?? response.statusText}`)
}
