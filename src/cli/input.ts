import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { CommandError, type Terminal } from './command.ts'

/** Reads a file, or standard input if the name is `-` or absent. */
export async function readInput(terminal: Terminal, file: string | undefined): Promise<Buffer<ArrayBuffer>> {
  if (file !== undefined && file !== '-') return readFile(file).catch((error) => unreadable(file, error))
  if (!terminal.input) throw new CommandError('there is no standard input')
  if ('isTTY' in terminal.input && terminal.input.isTTY) {
    terminal.err('Type the text, then press Ctrl-D on an empty line.\n')
  }
  return buffer(terminal.input)
}

/** Returns `text`, or for `@file` the content of the file; `@-` is standard input. */
export async function textOrFile(terminal: Terminal, text: string): Promise<string> {
  return text.startsWith('@') ? (await readInput(terminal, text.slice(1))).toString('utf8') : text
}

function unreadable(file: string, error: NodeJS.ErrnoException): never {
  const why =
    error.code === 'ENOENT' ? 'no such file' : error.code === 'EISDIR' ? 'it is a folder' : error.message
  throw new CommandError(`${file} cannot be read: ${why}`)
}
