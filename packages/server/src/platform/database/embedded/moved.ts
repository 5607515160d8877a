import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeSecretFile } from '@recto/lib/secret-file.ts'
import { type Folder, syncDirectory } from './folder.ts'
import { StartError } from './start-error.ts'

const toPath = (folder: Folder) => join(folder.root, 'moved-database')

/** Notes that the database is another one from now on: what is written here would be lost. */
export function markMoved(folder: Folder, to: string): void {
  writeSecretFile(toPath(folder), `${to}, on ${new Date().toISOString()}`)
  syncDirectory(folder.root)
}

export function rejectMoved(folder: Folder): void {
  const path = toPath(folder)
  if (!existsSync(path)) return
  throw new StartError(
    `The database in ${folder.root} was moved to ${readFileSync(path, 'utf8').trim()}: set SVC_DATABASE_URL. ` +
      `To go back to what it was then, and lose later writes, remove ${path}.`,
  )
}
