import { existsSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { type Folder, syncDirectory } from './folder.ts'

/**
 * Gives a cluster that waits the place of the old one, which is kept; returns where. A kill between the two renames is
 * made good by the next call: every start calls it. Only for the owner of the lock of the folder.
 */
export function finishUpgrade(folder: Folder): string | undefined {
  if (!existsSync(folder.upgraded)) return undefined
  let oldCluster: string | undefined
  if (existsSync(join(folder.cluster, 'PG_VERSION'))) {
    const major = readFileSync(join(folder.cluster, 'PG_VERSION'), 'utf8').trim()
    oldCluster = freePath(`${folder.cluster}.${major}`)
    renameSync(folder.cluster, oldCluster)
  }
  renameSync(folder.upgraded, folder.cluster)
  syncDirectory(folder.root)
  return oldCluster
}

function freePath(path: string): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? path : `${path}-${number}`
    if (!existsSync(candidate)) return candidate
  }
}
