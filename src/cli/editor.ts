import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from '../client/client.ts'
import { ApiError } from '../client/errors.ts'
import type { CommandCall } from './call.ts'
import { CommandError, EXIT, type Terminal } from './command.ts'
import { clientOf } from './connection.ts'
import type { PageName } from './page-name.ts'
import { printJson } from './print.ts'
import { errorText, exitOf, StateError } from './report-error.ts'

interface Found {
  readonly body: string
  /** The tag of what was read; undefined where no page stands. */
  readonly etag: string | undefined
}

/** Opens the page in an editor and writes what comes of it. Whatever happens then, what was typed is kept. */
export async function editInEditor(
  call: CommandCall,
  { space, path }: PageName,
  options: { readonly ifMatch: string | number | undefined; readonly note: string | undefined },
): Promise<number> {
  const { terminal } = call
  const client = clientOf(terminal)
  const found = await findBody(client, { space, path })
  const folder = await mkdtemp(join(tmpdir(), 'recto-edit-')) // mode 0700
  const file = join(
    folder,
    `${path
      .split('/')
      .at(-1)
      ?.replace(/[^\p{L}\p{N}._ -]/gu, '_')
      .slice(0, 80)}.md`,
  )
  await writeFile(file, found.body)
  try {
    await openEditor(terminal, file)
    const typed = await readFile(file)
    if (typed.equals(Buffer.from(found.body))) {
      terminal.err('Nothing was changed.\n')
      await rm(folder, { recursive: true })
      return EXIT.done
    }
    const ifMatch = options.ifMatch ?? found.etag
    const page = await client.putPage(space, path, typed, {
      note: options.note,
      ...(ifMatch === undefined ? { createOnly: true } : { ifMatch }),
    })
    await rm(folder, { recursive: true })
    if (call.flag('json')) printJson(call, page)
    else
      terminal.out(
        `${page.created ? 'Made' : 'Wrote'} ${page.space}/${page.path}, version ${page.version}: ${page.url}\n`,
      )
    return EXIT.done
  } catch (error) {
    throw kept(error, file, `${space}/${path}`)
  }
}

/** The page as it is; empty where there is none, so that it can be begun. */
async function findBody(client: Client, { space, path }: PageName): Promise<Found> {
  try {
    return await client.getMarkdown(space, path, { follow: false })
  } catch (error) {
    if (!(error instanceof ApiError) || ![404, 410].includes(error.status)) throw error
    // A space that is not there is told before anybody types.
    await client.getSpace(space)
    return { body: '', etag: undefined }
  }
}

/** Through the shell, since the variable may hold options, as `code --wait`. */
function openEditor({ env }: Terminal, file: string): Promise<void> {
  const editor = env.VISUAL || env.EDITOR || 'vi'
  return new Promise((resolve, reject) => {
    // Ctrl-C is the editor's while it is open.
    const ignore = () => {}
    process.on('SIGINT', ignore)
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], {
      stdio: 'inherit',
      env: { ...env },
    })
    const end = (error?: Error) => {
      process.off('SIGINT', ignore)
      if (error) reject(error)
      else resolve()
    }
    child.once('error', end)
    child.once('close', (code, signal) =>
      end(
        code === 0
          ? undefined
          : new CommandError(`the editor \`${editor}\` ended with ${code ?? signal}; nothing was written`),
      ),
    )
  })
}

function kept(error: unknown, file: string, name: string): Error {
  const where = `What you typed is in ${file}`
  if (!(error instanceof ApiError)) {
    return new CommandError(`${error instanceof Error ? error.message : String(error)}. ${where}.`)
  }
  const again = error.current
    ? `; \`recto put ${name} ${file} --version ${error.current.version}\` puts it over what is there now`
    : ''
  return new StateError(exitOf(error), `${errorText(error)}\n${where}${again}.`)
}
