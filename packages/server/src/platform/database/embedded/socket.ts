import * as fs from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type Folder, handOver } from './folder.ts'
import type { Account } from './runner.ts'
import { StartError } from './start-error.ts'

export const PORT = 5432

/** The kernel's limit is 107 bytes on Linux and 103 on macOS, for the path of the socket. */
const PATH_LIMIT = 100
const TEMPORARY = 'recto-'
const FILES = [`.s.PGSQL.${PORT}`, `.s.PGSQL.${PORT}.lock`] as const

/**
 * An empty private folder for the server's socket: in the data folder, or in the machine's temporary one, with a link
 * to it in the data folder, if the path would be too long or the file system has no sockets. Only for the owner of
 * the data folder's lock, with no server left: old sockets and their lock files are removed.
 */
export async function prepareSocketFolder(folder: Folder, account: Account): Promise<string> {
  removeSocketFolder(folder)
  fs.mkdirSync(folder.socket, { recursive: true, mode: 0o700 })
  if (await canListen(folder.socket)) return open(folder.socket, account)
  emptyAndRemove(folder.socket)
  for (const parent of new Set([tmpdir(), '/tmp'])) {
    const path = fs.mkdtempSync(join(parent, TEMPORARY))
    fs.symlinkSync(path, folder.socket)
    if (await canListen(path)) return open(path, account)
    removeSocketFolder(folder)
  }
  throw new StartError(`PostgreSQL needs a folder for its socket: neither ${folder.root} nor /tmp can hold one`)
}

/** Removes the socket folder of an earlier start, wherever it was; nothing but the files of a socket. */
export function removeSocketFolder(folder: Folder): void {
  const entry = fs.lstatSync(folder.socket, { throwIfNoEntry: false })
  if (entry === undefined) return
  if (entry.isSymbolicLink()) {
    const path = fs.readlinkSync(folder.socket)
    if (basename(path).startsWith(TEMPORARY) && isOurs(path)) emptyAndRemove(path)
    fs.rmSync(folder.socket)
  } else {
    emptyAndRemove(folder.socket)
  }
}

function emptyAndRemove(path: string): void {
  for (const file of FILES) fs.rmSync(join(path, file), { force: true })
  if (fs.readdirSync(path).length === 0) fs.rmdirSync(path)
}

/** The machine's temporary folder is shared: the name may be another user's by now. */
function isOurs(path: string): boolean {
  const entry = fs.lstatSync(path, { throwIfNoEntry: false })
  const self = process.getuid?.()
  return entry?.isDirectory() === true && (self === 0 || entry.uid === self)
}

function open(path: string, account: Account): string {
  fs.chmodSync(path, 0o700)
  handOver(path, account)
  return path
}

async function canListen(path: string): Promise<boolean> {
  const socket = join(path, FILES[0])
  if (Buffer.byteLength(socket) > PATH_LIMIT) return false
  const server = createServer()
  const listening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(socket, () => resolve(true))
  })
  if (listening) await new Promise((resolve) => server.close(resolve))
  return listening
}
