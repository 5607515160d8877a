import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '@recto/client/client.ts'
import { ApiError, NotFoundError } from '@recto/client/transport/errors.ts'
import { type CommandCall, CommandError, StateError, type Terminal } from '../command.ts'
import { openClient } from '../connection.ts'
import { errorText, toExitCode } from '../report-error.ts'
import type { PageName } from './page-name.ts'
import { printWritten } from './put.ts'

interface Found {
  readonly body: string
  /** The ETag; undefined if the page does not exist. */
  readonly etag: string | undefined
}

/** Opens the page in an editor and saves the result. On any error the edited text stays in a file. */
export async function editInEditor(
  call: CommandCall,
  { space, path }: PageName,
  options: { readonly ifMatch: string | number | undefined; readonly note: string | undefined },
): Promise<void> {
  const { terminal } = call
  const client = openClient(terminal)
  const foundBody = await findBody(client, { space, path })
  const folder = await mkdtemp(join(tmpdir(), 'recto-edit-')) // mode 0700
  const file = join(folder, toFileName(path))
  await writeFile(file, foundBody.body)
  try {
    await openEditor(terminal, file)
    const typedBytes = await readFile(file)
    if (typedBytes.equals(Buffer.from(foundBody.body))) {
      terminal.err('No changes.\n')
      await rm(folder, { recursive: true })
      return
    }
    const ifMatch = options.ifMatch ?? foundBody.etag
    const page = await client.pages.put(space, path, typedBytes, {
      note: options.note,
      ...(ifMatch === undefined ? { createOnly: true } : { ifMatch }),
    })
    await rm(folder, { recursive: true })
    printWritten(call, page)
  } catch (error) {
    throw kept(error, file, `${space}/${path}`)
  }
}

/** The last segment of the path, as a name that every file system accepts. */
function toFileName(path: string): string {
  const segment = path.slice(path.lastIndexOf('/') + 1)
  return `${segment.replace(/[^\p{L}\p{N}._ -]/gu, '_').slice(0, 80)}.md`
}

/** The Markdown of the page; empty if it does not exist. */
async function findBody(client: Client, { space, path }: PageName): Promise<Found> {
  try {
    return await client.pages.getMarkdown(space, path, { follow: false })
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
    // Reports a missing space before the editor opens.
    await client.spaces.get(space)
    return { body: '', etag: undefined }
  }
}

/** Runs the editor in a shell, because the variable can contain options, as in `code --wait`. */
async function openEditor({ env }: Terminal, file: string): Promise<void> {
  const editor = env.VISUAL || env.EDITOR || 'vi'
  // While the editor is open, Ctrl-C is for the editor.
  const ignore = () => {}
  process.on('SIGINT', ignore)
  try {
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit', env: { ...env } })
    const [code, signal] = await once(child, 'close')
    if (code !== 0) throw new CommandError(`the editor \`${editor}\` exited with ${code ?? signal}; nothing was saved`)
  } finally {
    process.off('SIGINT', ignore)
  }
}

function kept(error: unknown, file: string, name: string): Error {
  const where = `Your text is in ${file}`
  if (!(error instanceof ApiError)) {
    return new CommandError(`${error instanceof Error ? error.message : String(error)}. ${where}.`)
  }
  const again = error.current
    ? `; \`recto put ${name} ${file} --version ${error.current.version}\` replaces the current version with it`
    : ''
  return new StateError(toExitCode(error), `${errorText(error)}\n${where}${again}.`)
}
