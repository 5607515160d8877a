/** Pairs the base version of each page or file with its file and with its state in the space, moves included. */
import { jsonEqual } from '@recto/lib/json/json.ts'
import { type Entry, type LocalFile, type Metadata, pathProblem, type RemoteItem, toKey } from './entry.ts'
import { createNames, parseName } from './names.ts'
import type { RemoteChanges } from './remote.ts'

/** One page or file on both sides. */
export interface Unit {
  /** The base version; absent if it is new. */
  readonly entry: Entry | undefined
  readonly local: LocalFile | undefined
  /** `unchanged` since the base version, or what the space has now. */
  readonly remote: RemoteItem | 'unchanged' | 'absent'
  /** Metadata in the folder; undefined if there is no page. */
  readonly metadata: Metadata | undefined
}

/** What one side did. */
export type ChangeKind = 'added' | 'modified' | 'moved' | 'deleted' | 'metadata'

export interface PairInput {
  readonly entries: ReadonlyMap<string, Entry>
  readonly files: readonly LocalFile[]
  readonly remote: RemoteChanges
  /** The identity that the file of a name had in the last run. */
  readonly findId: (name: string) => string | undefined
  readonly readMetadata: (file: LocalFile, entry: Entry | undefined) => Metadata
  /** Names of files that cannot be read: they are neither changed nor deleted. */
  readonly blocked: ReadonlySet<string>
}

export function pairUnits(input: PairInput): Unit[] {
  const { entries, files, remote, blocked } = input
  const own = ownFiles(input)
  const pairedFiles = new Set(own.values())
  const addedFiles = new Map(files.filter((file) => !pairedFiles.has(file)).map((file) => [toKey(file), file]))
  const items = new Map([...remote.items])
  const moves = acceptedMoves(input, own, addedFiles)
  const targets = new Set(moves.values())
  const renamedFiles = findRenames(input, { own, added: addedFiles, moves, targets })
  const units: Unit[] = []
  for (const [key, entry] of entries) {
    const local = own.get(key) ?? renamedFiles.get(key)
    if (local && renamedFiles.has(key)) addedFiles.delete(toKey(local))
    const at = moves.get(key) ?? key
    const state = items.get(at) ?? (remote.gone.has(key) ? 'absent' : 'unchanged')
    items.delete(at)
    if (blocked.has(entry.name)) continue
    units.push({ entry, local, remote: state, metadata: local && input.readMetadata(local, entry) })
  }
  for (const [key, item] of items) {
    const local = addedFiles.get(key)
    addedFiles.delete(key)
    units.push({ entry: undefined, local, remote: item, metadata: local && input.readMetadata(local, undefined) })
  }
  for (const local of addedFiles.values()) {
    units.push({ entry: undefined, local, remote: 'absent', metadata: input.readMetadata(local, undefined) })
  }
  return units
}

/**
 * The file of each entry, by its name. A run that stopped can have recorded the name of a file that was moved here: if
 * the space has another page at its path now, the file belongs to that one.
 */
function ownFiles({ entries, files, remote }: PairInput): ReadonlyMap<string, LocalFile> {
  const byName = new Map(files.map((file) => [file.name, file]))
  const own = new Map<string, LocalFile>()
  for (const [key, { name }] of entries) {
    const file = byName.get(name)
    if (!file) continue
    const at = toKey(file)
    const isTaken = at !== key && (entries.has(at) || remote.items.has(at)) && remote.moved.get(key) !== at
    if (!isTaken) own.set(key, file)
  }
  return own
}

/** Moves in the space to a place that is free in the folder, or where the same file was moved. */
function acceptedMoves(
  { entries, remote }: PairInput,
  own: ReadonlyMap<string, LocalFile>,
  addedFiles: ReadonlyMap<string, LocalFile>,
): ReadonlyMap<string, string> {
  return new Map(
    [...remote.moved].filter(
      ([from, to]) => remote.items.has(to) && !entries.has(to) && !(own.has(from) && addedFiles.has(to)),
    ),
  )
}

interface Renaming {
  readonly own: ReadonlyMap<string, LocalFile>
  readonly added: ReadonlyMap<string, LocalFile>
  readonly moves: ReadonlyMap<string, string>
  readonly targets: ReadonlySet<string>
}

/** The new file of each entry whose file is gone: by the place of its move, its identity, or its content. */
function findRenames(
  { entries, remote, findId, blocked }: PairInput,
  { own, added, moves, targets }: Renaming,
): ReadonlyMap<string, LocalFile> {
  const goneEntries = [...entries].filter(([key, { name }]) => !own.has(key) && !blocked.has(name))
  const renamedFiles = new Map<string, LocalFile>()
  const takenFiles = new Set<LocalFile>()
  const take = (key: string, file: LocalFile | undefined) => {
    if (!file || takenFiles.has(file) || renamedFiles.has(key)) return
    takenFiles.add(file)
    renamedFiles.set(key, file)
  }
  for (const [key] of goneEntries) take(key, added.get(moves.get(key) ?? '') ?? added.get(key))
  const free = [...added.values()].filter((file) => !remote.items.has(toKey(file)) && !targets.has(toKey(file)))
  const byId = new Map(free.map((file) => [file.id, file]))
  for (const [key, { name, kind }] of goneEntries) {
    const file = byId.get(findId(name) ?? '')
    if (file?.kind === kind) take(key, file)
  }
  const byContent = Map.groupBy(free, ({ kind, digest }) => `${kind} ${digest}`)
  const lostEntries = Map.groupBy(goneEntries, ([, { kind, digest }]) => `${kind} ${digest}`)
  for (const [content, lostOnes] of lostEntries) {
    const alike = byContent.get(content) ?? []
    const isCertain = lostOnes.length === 1 && alike.length === 1
    // A page is not deleted because the new name of its file is refused.
    for (const [key] of lostOnes) {
      take(key, isCertain ? alike[0] : alike.find((file) => !takenFiles.has(file) && pathProblem(file) !== undefined))
    }
  }
  return renamedFiles
}

/** What was changed in the folder since the base version. */
export function localChanges({ entry, local, metadata }: Unit): ChangeKind[] {
  if (!entry) return local ? ['added'] : []
  if (!local) return ['deleted']
  const changes: ChangeKind[] = []
  if (local.path !== entry.path) changes.push('moved')
  if (local.digest !== entry.digest) changes.push('modified')
  if (metadata && !jsonEqual(metadata, entry.metadata ?? {})) changes.push('metadata')
  return changes
}

/** What was changed in the space since the base version. */
export function remoteChanges({ entry, remote }: Unit): ChangeKind[] {
  if (remote === 'unchanged') return []
  if (remote === 'absent') return entry ? ['deleted'] : []
  if (!entry) return ['added']
  const changes: ChangeKind[] = []
  if (remote.path !== entry.path) changes.push('moved')
  const isModified = remote.digest === undefined ? remote.version !== entry.version : remote.digest !== entry.digest
  if (isModified) changes.push('modified')
  if (remote.metadata && !jsonEqual(remote.metadata, entry.metadata ?? {})) changes.push('metadata')
  return changes
}

/** The keys that it has in the space, or had, under which the next run has to look at it again. */
export function listSpaceKeys({ entry, remote }: Unit): string[] {
  const item = typeof remote === 'object' ? remote : undefined
  return [entry, item].flatMap((side) => (side ? [toKey(side)] : []))
}

/** The same with the key of its file, where a push has found something else in the space. */
export function listKeys(unit: Unit): string[] {
  return [...listSpaceKeys(unit), ...(unit.local ? [toKey(unit.local)] : [])]
}

/** Why a push cannot carry its file to the space, whose rules for paths are stricter than those of a disk. */
export function findRefusal({ entry, local }: Unit): string | undefined {
  return local && local.path !== entry?.path ? pathProblem(local) : undefined
}

/**
 * The units whose file is gone, each with the name of a file that may be it, renamed and edited, and that is refused or
 * cannot be read: whoever renames a page must not delete it. Identities tell files apart where the last run is known.
 */
export function findDoubtfulDeletions(
  units: readonly Unit[],
  problems: readonly { readonly name: string; readonly id?: string | undefined }[],
  findId: (name: string) => string | undefined,
): ReadonlyMap<Unit, string> {
  const refusedFiles = units.flatMap((unit) =>
    unit.local && !unit.entry && findRefusal(unit) !== undefined ? [unit.local] : [],
  )
  const candidates = [...refusedFiles, ...problems]
  return new Map(
    units.flatMap((unit) => {
      const { entry, local, remote } = unit
      if (!entry || local || remote === 'absent') return []
      const id = findId(entry.name)
      const candidate = candidates.find(
        (file) =>
          (file.name.endsWith('/') || parseName(file.name).kind === entry.kind) &&
          (id === undefined || file.id === undefined || file.id === id),
      )
      return candidate ? [[unit, candidate.name] as const] : []
    }),
  )
}

/** How messages name it. */
export function toLabel({ entry, local, remote }: Unit): string {
  if (local) return local.name
  if (entry) return entry.name
  return typeof remote === 'object' ? toFileName(remote) : ''
}

/** From where and to where the folder has moved it, as names of files. */
export function localMove({ entry, local }: Unit): Move | undefined {
  return entry && local && entry.path !== local.path ? { from: entry.name, to: local.name } : undefined
}

/** From where and to where the space has moved it, as names of files. */
export function remoteMove({ entry, remote }: Unit): Move | undefined {
  if (!entry || typeof remote !== 'object' || remote.path === entry.path) return undefined
  return { from: entry.name, to: toFileName(remote) }
}

export interface Move {
  readonly from: string
  readonly to: string
}

/** The name that its file will have, if no other one differs from it in letter case alone. */
function toFileName({ kind, path }: RemoteItem): string {
  return createNames([]).create(kind, path)
}
