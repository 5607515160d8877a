import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject, tryParseJson } from '@recto/lib/json/json.ts'
import { CommandError } from '../command.ts'
import { replaceFile } from '../folder-sync/state.ts'
import { unreadable } from '../input.ts'

/** The version of a page that was equal to its file after an import, and the hash of its Markdown. */
export interface Base {
  readonly version: number
  readonly sha256: string
}

export type ImportRecord = ReturnType<typeof openRecord>

const NAME = '.recto-import.json'

/** The bases of three-way merges by path, as the last import of a folder into `target` recorded them. */
export function openRecord(folder: string, target: string) {
  const file = join(folder, NAME)
  const targets = readTargets(file)
  const bases = new Map(Object.entries(targets[target] ?? {}))
  let changed = false
  return {
    findBase: (path: string) => bases.get(path),
    set(path: string, base: Base): void {
      const before = bases.get(path)
      if (before?.version === base.version && before.sha256 === base.sha256) return
      bases.set(path, base)
      changed = true
    },
    /** Replaces the record in the folder atomically. */
    save(): void {
      if (!changed) return
      const all = { ...targets, [target]: Object.fromEntries(bases) }
      replaceFile(file, `${JSON.stringify({ format: 'recto-import', targets: all }, undefined, 1)}\n`)
    },
  }
}

function readTargets(file: string): Readonly<Record<string, Readonly<Record<string, Base>>>> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    unreadable(file, error)
  }
  const targets = parsed(text)
  if (targets === undefined) {
    throw new CommandError(`${file} is not a record of an import: restore it, or delete it to import without merging`)
  }
  return targets
}

function parsed(text: string): Readonly<Record<string, Readonly<Record<string, Base>>>> | undefined {
  const value = tryParseJson(text)
  if (!isJsonObject(value) || value.format !== 'recto-import' || !isJsonObject(value.targets)) return undefined
  const spaces = Object.values(value.targets)
  if (!spaces.every((pages) => isJsonObject(pages) && Object.values(pages).every(isBase))) return undefined
  return value.targets as Record<string, Record<string, Base>> // as was checked
}

function isBase(value: unknown): value is Base {
  return isJsonObject(value) && Number.isSafeInteger(value.version) && typeof value.sha256 === 'string'
}
