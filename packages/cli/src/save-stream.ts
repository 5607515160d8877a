import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeStream } from 'node:stream/web'
import { CommandError } from './command.ts'
import { fileErrorText } from './input.ts'

/** Writes a stream to a temporary file, and renames that when it is complete. */
export async function saveStream(
  stream: ReadableStream<Uint8Array>,
  target: string,
  what: 'download' | 'export',
  onBytes?: (count: number) => void,
): Promise<void> {
  const draft = `${target}.partial-${process.pid}`
  try {
    const source = Readable.fromWeb(stream as NodeStream)
    if (onBytes) source.on('data', (chunk: Uint8Array) => onBytes(chunk.length))
    await pipeline(source, createWriteStream(draft, { flags: 'wx', flush: true }))
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { force: true })
    throw new CommandError(`the ${what} to ${target} failed: ${fileErrorText(error)}`)
  }
}
