import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { isJsonObject, tryParseJson } from '@recto/lib/json/json.ts'
import { makeFolder } from '@recto/lib/make-folder.ts'
import { EXIT, StateError } from '../command.ts'
import { readText } from './state.ts'

/** Another run works in the folder. */
export class FolderLockedError extends StateError {}

/** Holds the lock of a folder until it is disposed. The lock of a process that has ended is taken over. */
export function lockFolder(file: string): Disposable {
  // A checkout of version control has not got the folder.
  makeFolder(dirname(file))
  if (!tryCreate(file)) {
    removeStale(file)
    if (!tryCreate(file)) throw lockedBy(file)
  }
  return { [Symbol.dispose]: () => rmSync(file, { force: true }) }
}

function tryCreate(file: string): boolean {
  try {
    writeFileSync(file, JSON.stringify({ pid: process.pid, host: hostname() }), { flag: 'wx' })
    return true
  } catch (error) {
    if (readCode(error) === 'EEXIST') return false
    throw error
  }
}

function removeStale(file: string): void {
  const owner = readText(file)
  if (owner === undefined) return
  if (isRunning(owner)) throw lockedBy(file)
  const aside = `${file}.${process.pid}`
  try {
    renameSync(file, aside)
  } catch (error) {
    if (readCode(error) === 'ENOENT') return
    throw error
  }
  const movedText = readText(aside)
  rmSync(aside, { force: true })
  // Another process took it over between both reads: both give up.
  if (movedText !== owner) throw lockedBy(file)
}

/** A lock that cannot be read is being written. */
function isRunning(owner: string): boolean {
  const value = tryParseJson(owner)
  const { pid, host } = isJsonObject(value) ? value : {}
  if (typeof pid !== 'number' || host !== hostname()) return true
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return readCode(error) === 'EPERM'
  }
}

function lockedBy(file: string): FolderLockedError {
  return new FolderLockedError(
    EXIT.conflict,
    `Another run of recto works in this folder (${readText(file) ?? 'it has just ended'}). ` +
      `If there is none, delete ${file}.`,
  )
}

function readCode(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
