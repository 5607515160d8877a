import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { readIfThere } from '../read-if-there.ts'
import { type Folder, syncDirectory } from './folder.ts'

/** The cluster's password, or undefined if the file is missing or truncated. */
export function readPassword(folder: Folder): string | undefined {
  return readIfThere(folder.password)?.trim() || undefined
}

/** Generates a password of 256 bits and syncs it to disk, for this user only, before it is used anywhere. */
export function makePassword(folder: Folder): string {
  const password = randomBytes(32).toString('base64url')
  const draft = `${folder.password}.new`
  const descriptor = openSync(draft, 'w', 0o600)
  try {
    writeSync(descriptor, `${password}\n`)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(draft, folder.password)
  syncDirectory(dirname(folder.password))
  return password
}
