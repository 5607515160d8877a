import * as fs from 'node:fs'

/** Log rotation: the log is kept to about twice this, the current file and, with `.1` appended, the one before. */
const LIMIT_BYTES = 8 * 1024 * 1024
const CHECK_MS = 5_000

/** Opens the server's log to append, after rotating a full one. A file, not a pipe: it outlives this process. */
export function openLog(path: string): number {
  if (readSize(path) > LIMIT_BYTES) fs.renameSync(path, `${path}.1`)
  return fs.openSync(path, 'a', 0o600)
}

/** Rotates a log that is in use until it is disposed of. */
export function boundLog(path: string): Disposable {
  const timer = setInterval(() => {
    if (readSize(path) > LIMIT_BYTES) stepBack(path)
  }, CHECK_MS).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** The bytes that were written: a growing log means progress. */
export function readSize(path: string): number {
  return fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** The last two kilobytes of the log, from `start` on. */
export function readTail(path: string, start: number): string {
  if (!fs.existsSync(path)) return ''
  const descriptor = fs.openSync(path, 'r')
  try {
    const { size } = fs.fstatSync(descriptor)
    const from = Math.max(size - 2048, size < start ? 0 : start)
    const buffer = Buffer.alloc(Math.max(size - from, 0))
    return buffer.toString('utf8', 0, fs.readSync(descriptor, buffer, 0, buffer.length, from)).trim()
  } finally {
    fs.closeSync(descriptor)
  }
}

/** The server appends through a descriptor of its own, so that the file must stay: it is copied, then truncated. */
function stepBack(path: string): void {
  try {
    fs.copyFileSync(path, `${path}.1`)
  } catch {
    // No space for a copy: the size limit matters more than old entries.
  }
  fs.truncateSync(path)
}
