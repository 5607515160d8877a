import { createReadStream, createWriteStream, existsSync, openAsBlob } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeStream } from 'node:stream/web'
import { ApiError } from '../../client/transport/errors.ts'
import type { StoredFile } from '../../client/types.ts'
import type { CommandCall } from '../call.ts'
import { CommandError, EXIT, type Terminal, UsageError } from '../command.ts'
import { clientOf, connect } from '../connection.ts'
import { fileErrorText, unreadable } from '../input.ts'
import { fileNamed, prefixNamed } from '../pages/page-name.ts'
import { ifMatchOf } from '../pages/put.ts'
import { printJson, printList } from '../print.ts'
import { createByteProgress } from '../progress.ts'
import { StateError } from '../report-error.ts'
import { timeText } from '../table.ts'

/** `recto files ls`: lists the files of a space, or its deleted files. */
export async function listFilesCommand(call: CommandCall): Promise<number> {
  const { space, prefix } = prefixNamed(call.arg('space'))
  const [q, type, unused] = [call.option('q'), call.option('type'), call.flag('unused') || undefined]
  if (call.flag('trash')) {
    if (prefix !== undefined || q !== undefined || type !== undefined || unused) {
      throw new UsageError('--trash lists all deleted files of a space, without a prefix or other filters')
    }
    return listTrashedFiles(call, space)
  }
  await printList(
    call,
    clientOf(call.terminal).files.list(space, { prefix, q, type, unused }),
    [
      { title: 'PATH', of: ({ path }) => path, cut: 'middle' },
      { title: 'BYTES', of: ({ size }) => size, right: true },
      { title: 'TYPE', of: ({ contentType }) => contentType, cut: true },
      { title: 'VERSION', of: ({ version }) => version, right: true },
      { title: 'CHANGED', of: ({ updatedAt }) => timeText(updatedAt) },
      { title: 'BY', of: ({ updatedBy }) => updatedBy.name, cut: true },
    ],
    'No such files.',
  )
  return EXIT.done
}

async function listTrashedFiles(call: CommandCall, space: string): Promise<number> {
  await printList(
    call,
    clientOf(call.terminal).files.trash(space),
    [
      { title: 'PATH', of: ({ path }) => path, cut: 'middle' },
      { title: 'BYTES', of: ({ size }) => size, right: true },
      { title: 'DELETED', of: ({ deletedAt }) => timeText(deletedAt) },
      { title: 'BY', of: ({ deletedBy }) => deletedBy.name, cut: true },
    ],
    'The trash has no files.',
  )
  return EXIT.done
}

/** `recto files get`: streams a file to the disk or to standard output. */
export async function getFileCommand(call: CommandCall): Promise<number> {
  const { terminal } = call
  const { space, path } = fileNamed(call.arg('path'))
  const version = call.number('version')
  const client = clientOf(terminal)
  if (call.flag('json')) {
    printJson(call, await client.files.get(space, path, { version }))
    return EXIT.done
  }
  const target = call.optional('file') ?? basename(path)
  if (target === '-') {
    if (!terminal.output) throw new CommandError('there is no standard output')
    const bytes = await client.files.read(space, path, { version })
    await pipeline(Readable.fromWeb(bytes as NodeStream), terminal.output, { end: false })
    return EXIT.done
  }
  if (existsSync(target) && !call.flag('force')) {
    throw new CommandError(`${target} exists already: use --force to replace it`)
  }
  const facts = await client.files.get(space, path, { version })
  await download(terminal, target, facts, await client.files.read(space, path, { version: facts.version }))
  terminal.out(`Wrote ${space}/${path}, version ${facts.version}, to ${target}: ${facts.size} bytes.\n`)
  return EXIT.done
}

async function download(
  terminal: Terminal,
  target: string,
  { size }: StoredFile,
  bytes: ReadableStream<Uint8Array>,
): Promise<void> {
  const draft = `${target}.partial-${process.pid}`
  const progress = createByteProgress(terminal, size)
  try {
    const source = Readable.fromWeb(bytes as NodeStream)
    source.on('data', (chunk: Uint8Array) => progress.add(chunk.length))
    await pipeline(source, createWriteStream(draft, { flags: 'wx', flush: true }))
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { force: true })
    throw new CommandError(`the download to ${target} failed: ${fileErrorText(error)}`)
  } finally {
    progress.end()
  }
}

/** `recto files put`: uploads a file of the disk, or standard input as a stream. */
export async function putFileCommand(call: CommandCall): Promise<number> {
  const { terminal } = call
  const { space, path } = fileNamed(call.arg('path'))
  const ifMatch = ifMatchOf(call)
  const { body, size } = await openInput(terminal, call.optional('file') ?? '-')
  const progress = size === undefined ? undefined : createByteProgress(terminal, size)
  const options = {
    ...(ifMatch === undefined ? { createOnly: true } : { ifMatch }),
    ...(progress && { onProgress: (sent: number) => progress.at(sent) }),
  }
  try {
    const file = await clientOf(terminal)
      .files.put(space, path, body, options)
      .catch((error) => explainConflict(error, call.arg('path'), ifMatch))
    progress?.end()
    if (call.flag('json')) printJson(call, file)
    else terminal.out(`Wrote ${space}/${path}, version ${file.version}, ${file.contentType}: ${file.url}\n`)
    return EXIT.done
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

function explainConflict(error: unknown, name: string, ifMatch: string | number | undefined): never {
  if (ifMatch !== undefined || !(error instanceof ApiError) || !error.current) throw error
  const { version, updatedBy, updatedAt } = error.current
  throw new StateError(
    EXIT.conflict,
    `${name} exists: version ${version}, by ${updatedBy.name} at ${updatedAt}. To replace it, pass --version ${version}`,
  )
}

/** `recto files rm`: moves a file to the trash, or deletes it permanently. */
export async function removeFileCommand(call: CommandCall): Promise<number> {
  const { space, path } = fileNamed(call.arg('path'))
  const ifMatch = ifMatchOf(call)
  const client = clientOf(call.terminal)
  if (call.flag('purge')) await client.files.purge(space, path, { ifMatch })
  else await client.files.delete(space, path, { ifMatch })
  const what = call.flag('purge') ? 'Permanently deleted' : 'Moved to the trash:'
  call.terminal.out(`${what} ${space}/${path}\n`)
  return EXIT.done
}

/** `recto files restore`: restores a deleted file at its path. */
export async function restoreFileCommand(call: CommandCall): Promise<number> {
  const { space, path } = fileNamed(call.arg('path'))
  const file = await clientOf(call.terminal).files.restore(space, path)
  if (call.flag('json')) printJson(call, file)
  else call.terminal.out(`Restored ${file.space}/${file.path}, version ${file.version}: ${file.url}\n`)
  return EXIT.done
}

/** `recto files mv`: moves a file, also to another space. */
export async function moveFileCommand(call: CommandCall): Promise<number> {
  const from = fileNamed(call.arg('path'))
  const to = fileNamed(call.arg('to'))
  const file = await clientOf(call.terminal).files.move(
    from.space,
    from.path,
    { to },
    { ifMatch: ifMatchOf(call) },
  )
  if (call.flag('json')) printJson(call, file)
  else call.terminal.out(`Moved ${from.space}/${from.path} to ${file.space}/${file.path}: ${file.url}\n`)
  return EXIT.done
}

/** `recto files migrate`: moves bytes step by step until all are there. A step that the service rejects for now is retried. */
export async function migrateFilesCommand(call: CommandCall): Promise<number> {
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
  return EXIT.done
}
