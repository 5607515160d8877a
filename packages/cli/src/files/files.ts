import { createReadStream, existsSync, openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeStream } from 'node:stream/web'
import { actorText } from '@recto/contract/actor-text.ts'
import { type CommandCall, CommandError, type Terminal, UsageError } from '../command.ts'
import { connect, openClient } from '../connection.ts'
import { unreadable } from '../input.ts'
import { fileNamed, prefixNamed } from '../pages/page-name.ts'
import { explainConflict } from '../pages/put.ts'
import { printJson, printList, printResult } from '../print.ts'
import { createByteProgress } from '../progress.ts'
import { saveStream } from '../save-stream.ts'
import { readIfMatch } from '../spec.ts'
import { timeText } from '../table.ts'

/** `recto files ls`: lists the files of a space, or its deleted files. */
export async function listFilesCommand(call: CommandCall): Promise<void> {
  const { space, prefix } = prefixNamed(call.arg('space'))
  const [q, type, unused] = [call.option('q'), call.option('type'), call.flag('unused') || undefined]
  if (call.flag('trash')) {
    if (prefix !== undefined || q !== undefined || type !== undefined || unused) {
      throw new UsageError('--trash lists all deleted files of a space, without a prefix or other filters')
    }
    return listTrashedFiles(call, space)
  }
  const list = openClient(call.terminal).files.list(space, { prefix, q, type, unused })
  await printList(call, list, 'No such files.', [
    { title: 'PATH', of: ({ path }) => path, cut: 'middle' },
    { title: 'BYTES', of: ({ size }) => size, right: true },
    { title: 'TYPE', of: ({ contentType }) => contentType, cut: true },
    { title: 'VERSION', of: ({ version }) => version, right: true },
    { title: 'CHANGED', of: ({ updatedAt }) => timeText(updatedAt) },
    { title: 'BY', of: ({ updatedBy }) => actorText(updatedBy), cut: true },
  ])
}

async function listTrashedFiles(call: CommandCall, space: string): Promise<void> {
  await printList(call, openClient(call.terminal).files.trash(space), 'The trash has no files.', [
    { title: 'PATH', of: ({ path }) => path, cut: 'middle' },
    { title: 'BYTES', of: ({ size }) => size, right: true },
    { title: 'DELETED', of: ({ deletedAt }) => timeText(deletedAt) },
    { title: 'BY', of: ({ deletedBy }) => actorText(deletedBy), cut: true },
  ])
}

/** `recto files get`: streams a file to the disk or to standard output. */
export async function getFileCommand(call: CommandCall): Promise<void> {
  const { terminal } = call
  const { space, path } = fileNamed(call.arg('path'))
  const version = call.number('version')
  const client = openClient(terminal)
  if (call.flag('json')) return printJson(call, await client.files.get(space, path, { version }))
  const target = call.optional('file') ?? basename(path)
  if (target === '-') {
    if (!terminal.output) throw new CommandError('there is no standard output')
    const bytes = await client.files.read(space, path, { version })
    await pipeline(Readable.fromWeb(bytes as NodeStream), terminal.output, { end: false })
    return
  }
  if (existsSync(target) && !call.flag('force')) {
    throw new CommandError(`${target} exists already: use --force to replace it`)
  }
  const facts = await client.files.get(space, path, { version })
  const bytes = await client.files.read(space, path, { version: facts.version ?? undefined })
  const progress = createByteProgress(terminal, facts.size)
  try {
    await saveStream(bytes, target, 'download', (addedBytes) => progress.add(addedBytes))
  } finally {
    progress.end()
  }
  terminal.out(`Wrote ${space}/${path}, version ${facts.version}, to ${target}: ${facts.size} bytes.\n`)
}

/** `recto files put`: uploads a file of the disk, or standard input as a stream. */
export async function putFileCommand(call: CommandCall): Promise<void> {
  const { terminal } = call
  const { space, path } = fileNamed(call.arg('path'))
  const ifMatch = readIfMatch(call)
  const { body, size } = await openInput(terminal, call.optional('file') ?? '-')
  const progress = size === undefined ? undefined : createByteProgress(terminal, size)
  const options = {
    ...(ifMatch === undefined ? { createOnly: true } : { ifMatch }),
    ...(progress && { onProgress: (sentBytes: number) => progress.at(sentBytes) }),
  }
  try {
    const file = await openClient(terminal)
      .files.put(space, path, body, options)
      .catch((error) => explainConflict(error, call.arg('path'), ifMatch, 'pass'))
    progress?.end()
    const { version, contentType, url } = file
    printResult(call, file, `Wrote ${space}/${path}, version ${version}, ${contentType}: ${url}`)
  } finally {
    progress?.end()
  }
}

/** A file is a blob, which a retry reads again; standard input is read once. */
async function openInput(
  terminal: Terminal,
  name: string,
): Promise<{ readonly body: Blob | ReadableStream<Uint8Array>; readonly size?: number }> {
  if (name === '-') {
    if (!terminal.input) throw new CommandError('there is no standard input')
    return { body: Readable.toWeb(terminal.input) as ReadableStream<Uint8Array> }
  }
  const facts = await stat(name).catch((error) => unreadable(name, error))
  if (facts.isDirectory()) throw new CommandError(`${name} cannot be read: it is a folder`)
  // A pipe or a device has no size.
  if (!facts.isFile()) return { body: Readable.toWeb(createReadStream(name)) as ReadableStream<Uint8Array> }
  return { body: await openAsBlob(name), size: facts.size }
}

/** `recto files rm`: moves a file to the trash, or deletes it permanently. */
export async function removeFileCommand(call: CommandCall): Promise<void> {
  const { space, path } = fileNamed(call.arg('path'))
  const ifMatch = readIfMatch(call)
  const client = openClient(call.terminal)
  if (call.flag('purge')) await client.files.purge(space, path, { ifMatch })
  else await client.files.delete(space, path, { ifMatch })
  const what = call.flag('purge') ? 'Permanently deleted' : 'Moved to the trash:'
  call.terminal.out(`${what} ${space}/${path}\n`)
}

/** `recto files migrate`: moves bytes step by step. A step that the service rejects for now is retried. */
export async function migrateFilesCommand(call: CommandCall): Promise<void> {
  const to = call.arg('to') === 's3' ? 's3' : 'database'
  const client = await connect(call.terminal)
  let [blobs, bytes] = [0, 0]
  for (let after: string | undefined; ; ) {
    const step = await client.files.migrate({ to, ...(after !== undefined && { after }) })
    blobs += step.moved
    bytes += step.bytes
    if (step.next === null) break
    after = step.next
    call.terminal.err(`${blobs} moved, ${bytes} bytes\n`)
  }
  call.terminal.out(`Moved ${blobs} contents of files, ${bytes} bytes.\n`)
}
