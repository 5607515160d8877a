import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '@recto/lib/make-folder.ts'
import { EXIT, StateError } from '../command.ts'
import { conflictMarkers, resolveText, type Side } from './conflict.ts'
import { lockFolder } from './lock.ts'
import { findOriginal, isConflictCopy, nameKeptCopy } from './names.ts'
import { UnsyncableFileError } from './page-file.ts'
import { statePaths } from './state.ts'

/** Resolves the conflict of a file with `mine`, the folder, or `theirs`, for the next push. False if there is none. */
export function resolveConflict(root: string, name: string, side: Side): boolean {
  const { lock, drafts } = statePaths(root)
  using _ = lockFolder(lock)
  const file = join(root, name)
  if (!existsSync(file)) throw new StateError(EXIT.notFound, `there is no file ${name}`)
  if (isConflictCopy(name)) {
    resolveCopy(root, name, side)
    return true
  }
  const text = readFileSync(file, 'utf8')
  if (!conflictMarkers(text, '')) return false
  makeFolder(drafts)
  const draft = join(drafts, 'resolved')
  writeFileSync(draft, resolveText(text, side), { flush: true })
  renameSync(draft, file)
  return true
}

/** The bytes of the space are at the original name already. */
function resolveCopy(root: string, copy: string, side: Side): void {
  if (side === 'theirs') {
    rmSync(join(root, copy))
    return
  }
  const name = side === 'mine' ? findOriginal(copy) : nameKeptCopy(copy)
  const target = join(root, name)
  if (side === 'both' && existsSync(target)) throw new UnsyncableFileError(`${name} exists: rename ${copy} yourself`)
  renameSync(join(root, copy), target)
}
