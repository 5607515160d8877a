import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  truncateSync,
} from 'node:fs'

/** The server's log keeps to about twice this: the file in use, and the one before it with `.1` behind its name. */
const LIMIT_BYTES = 8 * 1024 * 1024
const CHECK_MS = 5_000

/**
 * Opens the server's log to append, after a full one has stepped back. A file, not a pipe: a server that outlives
 * this process for a moment can still say why it ends.
 */
export function openLog(path: string): number {
  if (sizeOf(path) > LIMIT_BYTES) renameSync(path, `${path}.1`)
  return openSync(path, 'a', 0o600)
}

/** Keeps a log that is being written to within bounds until it is disposed of. */
export function boundLog(path: string): Disposable {
  const timer = setInterval(() => {
    if (sizeOf(path) > LIMIT_BYTES) stepBack(path)
  }, CHECK_MS).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** How much has been written: what grows is making progress. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** The last two kilobytes of the log, from `start` on. */
export function tailOf(path: string, start: number): string {
  if (!existsSync(path)) return ''
  const descriptor = openSync(path, 'r')
  try {
    const { size } = fstatSync(descriptor)
    const from = Math.max(size - 2048, size < start ? 0 : start)
    const buffer = Buffer.alloc(Math.max(size - from, 0))
    return buffer.toString('utf8', 0, readSync(descriptor, buffer, 0, buffer.length, from)).trim()
  } finally {
    closeSync(descriptor)
  }
}

/** The server appends through a descriptor of its own, so the file must stay: it is copied, then emptied. */
function stepBack(path: string): void {
  try {
    copyFileSync(path, `${path}.1`)
  } catch {
    // No room for a copy: then bounds matter more than the past.
  }
  truncateSync(path)
}
