import * as fs from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { StartError } from './start-error.ts'

/** The paths of the data folder and of the files of the embedded server. */
export interface Folder {
  readonly root: string
  /** Created by this start, so that we may choose its mode. */
  readonly created: boolean
  readonly cluster: string
  /** A complete cluster of a newer version of PostgreSQL, which waits for the place of the old one. */
  readonly upgraded: string
  readonly password: string
  readonly log: string
  /** The ballast file, which is deleted when the disk is full. */
  readonly ballast: string
  readonly lock: string
  readonly holder: string
  readonly socket: string
}

/** Creates the data folder if it is missing; rejects one that is not writable. */
export function prepareFolder(dataDir: string): Folder {
  const path = resolve(dataDir)
  try {
    const created = makeFolder(path)
    const root = fs.realpathSync(path)
    fs.accessSync(root, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK)
    fs.readdirSync(root)
    return {
      root,
      created,
      cluster: join(root, 'postgres'),
      upgraded: join(root, 'postgres.upgraded'),
      password: join(root, 'postgres-password'),
      log: join(root, 'postgres.log'),
      ballast: join(root, 'ballast'),
      lock: join(root, 'serve.lock'),
      holder: join(root, 'serve.pid'),
      socket: join(root, 'socket'),
    }
  } catch (error) {
    throw new StartError(
      `Recto cannot write its data folder ${path}: ${(error as Error).message}. ` +
        'Give it a folder that it can write with SVC_DATA.',
    )
  }
}

/**
 * Creates a folder and those above it; returns whether it was missing. With `recursive`, mkdir never returns where a
 * file system answers ENOENT for whatever is created in it, as /proc does.
 */
function makeFolder(path: string): boolean {
  try {
    fs.mkdirSync(path, { mode: 0o700 })
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && fs.statSync(path).isDirectory()) return false
    if (code !== 'ENOENT' || dirname(path) === path || fs.existsSync(dirname(path))) throw error
  }
  makeFolder(dirname(path))
  return makeFolder(path)
}

export type ClusterState = 'missing' | 'ready'

/** Whether there is a cluster. A folder with other contents is rejected: nothing in it is ever removed. */
export function inspectCluster(folder: Folder): ClusterState {
  const entries = listEntries(folder.cluster)
  if (entries === undefined || entries.length === 0) return fs.existsSync(folder.upgraded) ? 'ready' : 'missing'
  if (entries.includes('PG_VERSION')) return 'ready'
  throw new StartError(
    `${folder.cluster} is neither empty nor a PostgreSQL cluster. ` +
      'Move it away, or give Recto another data folder with SVC_DATA.',
  )
}

/** The owner of the cluster, or else of the data folder: PostgreSQL runs only as the owner of its cluster. */
export function folderOwner(folder: Folder, state: ClusterState): { readonly uid: number; readonly gid: number } {
  const { uid, gid } = fs.statSync(state === 'ready' ? folder.cluster : folder.root)
  return { uid, gid }
}

/** Changes the owner of a path to the account of PostgreSQL, if that is another one. */
export function handOver(path: string, account: { readonly uid?: number; readonly gid?: number }): void {
  if (account.uid === undefined || account.gid === undefined) return
  fs.chownSync(path, account.uid, account.gid)
}

/** Syncs the entries of a folder to disk: otherwise a crash of the machine can undo a rename. */
export function syncDirectory(path: string): void {
  const descriptor = fs.openSync(path, 'r')
  try {
    fs.fsyncSync(descriptor)
  } finally {
    fs.closeSync(descriptor)
  }
}

function listEntries(path: string): string[] | undefined {
  try {
    return fs.readdirSync(path)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new StartError(`Recto cannot read its database in ${path}: ${message}`)
  }
}
