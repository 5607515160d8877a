import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { CommandError, type Terminal } from './command.ts'

/** The bytes of a file, or of standard input for `-` and for no name. */
export async function readInput(terminal: Terminal, file: string | undefined): Promise<Buffer<ArrayBuffer>> {
  if (file !== undefined && file !== '-') return readFile(file).catch((error) => unreadable(file, error))
  if (!terminal.input) throw new CommandError('there is no standard input to read')
  if ('isTTY' in terminal.input && terminal.input.isTTY) {
    terminal.err('Type the text, and end it with Ctrl-D on a line of its own.\n')
  }
  return buffer(terminal.input)
}

/** What `text` says, or what is in the file behind an `@`; `@-` is standard input. */
export async function textOrFile(terminal: Terminal, text: string): Promise<string> {
  return text.startsWith('@') ? (await readInput(terminal, text.slice(1))).toString('utf8') : text
}

function unreadable(file: string, error: NodeJS.ErrnoException): never {
  const why =
    error.code === 'ENOENT'
      ? 'there is no such file'
      : error.code === 'EISDIR'
        ? 'it is a folder'
        : error.message
  throw new CommandError(`${file} cannot be read: ${why}`)
}
