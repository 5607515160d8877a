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

/** A reason in words; the messages of Node name the system call instead. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of this path is a file, not a folder',
  EEXIST: 'it exists already',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ENOSPC: 'the disk is full',
  ENAMETOOLONG: 'the name is too long',
}

/** The reason of an error of the file system, or the message of another error. */
export function fileErrorText(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  return REASONS[code] ?? message
}

/** Throws why a file cannot be read. */
export function unreadable(file: string, error: unknown): never {
  throw new CommandError(`${file} cannot be read: ${fileErrorText(error)}`)
}
