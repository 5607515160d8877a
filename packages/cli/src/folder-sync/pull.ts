/** Applies what changed in the space to the folder. Every step can be repeated after a crash. */
import { copyFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { jsonEqual } from '@recto/lib/json/json.ts'
import { markedText, merge3, settledText } from '@recto/lib/text/merge.ts'
import { conflictLabel, isConflictWith } from './conflict.ts'
import { computeSha256, type Entry, type LocalFile, type Metadata, type RemoteItem, toKey } from './entry.ts'
import { mergeMetadata } from './metadata.ts'
import { nameConflictCopy, parseName } from './names.ts'
import { joinPageFile } from './page-file.ts'
import { hasConflict, type Run, readBase, readLocal } from './run.ts'
import { StaleError } from './service-writes.ts'
import { localChanges, remoteChanges, type Unit } from './units.ts'

/** Resolves to the unit as it is now; undefined if a conflict has to be resolved first. */
export async function pullUnit(run: Run, unit: Unit): Promise<Unit | undefined> {
  const { entry, local, remote } = unit
  if (remote === 'unchanged') return unit
  if (remote === 'absent') return pullRemoval(run, unit)
  if (!local && entry && remote.digest === entry.digest) {
    // Deleted in the folder, and not edited in the space.
    return { ...unit, entry: recordUnedited(run, unit, entry, remote), remote: 'unchanged' }
  }
  const changes = remoteChanges(unit)
  if (!local && entry) run.report.notes.push(`${entry.name} was deleted here and edited in the space: it is kept`)
  const placedFile = local && entry ? await placeFile(run, local, entry, remote) : local
  const pulledUnit =
    remote.kind === 'page'
      ? await pullPage(run, { ...unit, local: placedFile }, remote)
      : await pullFile(run, { ...unit, local: placedFile }, remote)
  if (!pulledUnit) return undefined
  for (const change of changes) run.report.changes.push({ to: 'folder', change, name: pulledUnit.local?.name ?? '' })
  return pulledUnit
}

/** Records where a page or file is now, and its metadata, without its text, which has not changed. */
function recordUnedited(run: Run, unit: Unit, entry: Entry, remote: RemoteItem): Entry {
  const { name, digest, path: before } = entry
  const { path, version } = remote
  if (entry.kind === 'file') {
    const movedEntry = { ...entry, path, version }
    run.state.record(movedEntry, toKey(entry))
    return movedEntry
  }
  const metadata = mergedMetadata(run, unit, remote, name)
  if (path !== before) run.metadata?.move(before, path)
  run.metadata?.set(path, metadata)
  return recordPage(run, unit, { ...remote, digest, name })
}

async function pullRemoval(run: Run, unit: Unit): Promise<Unit> {
  const { entry, local } = unit
  if (!entry) return unit
  const isEdited = localChanges(unit).length > 0
  if (local && !isEdited) {
    await run.folder.remove(local)
    run.metadata?.delete(entry.path)
    run.report.changes.push({ to: 'folder', change: 'deleted', name: local.name })
  }
  if (local && isEdited) run.report.notes.push(`${local.name} was deleted in the space and edited here: it is kept`)
  run.state.drop(toKey(entry))
  return { ...unit, entry: undefined, local: isEdited ? local : undefined, remote: 'absent' }
}

/** Renames the file to the new path of its page, or records that it was moved here. */
async function placeFile(run: Run, local: LocalFile, entry: Entry, remote: RemoteItem): Promise<LocalFile> {
  if (remote.path === entry.path) {
    // A new text gives the file another identity, by which no run after a crash could find the move.
    if (local.name !== entry.name) run.state.record({ ...entry, name: local.name })
    return local
  }
  if (local.path === remote.path) return local
  if (local.path !== entry.path) {
    run.report.notes.push(`${local.name} was moved here and in the space: it has the path of the space`)
  }
  run.names.remove(local.name)
  const movedFile = await run.folder.rename(local, run.names.create(remote.kind, remote.path))
  run.metadata?.move(local.path, remote.path)
  return movedFile
}

async function pullPage(run: Run, unit: Unit, remote: RemoteItem): Promise<Unit | undefined> {
  const { entry, local } = unit
  const theirs = remote.body
  if (!theirs || remote.digest === undefined) throw new StaleError(`${remote.path} was not read`)
  const text = local ? await readLocal(run, local) : undefined
  const mergedBody =
    text === undefined ? { body: theirs, isConflict: false } : await mergeBody(run, text, entry, remote)
  if (!mergedBody) return undefined
  const name = chooseName(run, unit, remote)
  const metadata = mergedMetadata(run, unit, remote, name)
  const file = await writePage(run, unit, { name, body: mergedBody.body, metadata })
  if (mergedBody.isConflict) run.report.conflicts.add(name)
  const base = recordPage(run, unit, { ...remote, digest: remote.digest, name })
  run.metadata?.set(remote.path, metadata)
  return { entry: base, local: file, remote: 'unchanged', metadata }
}

function chooseName({ names }: Run, { entry, local }: Unit, { kind, path }: RemoteItem): string {
  if (local) return local.name
  return entry && parseName(entry.name).path === path ? entry.name : names.create(kind, path)
}

function mergedMetadata(run: Run, { entry, metadata }: Unit, remote: RemoteItem, name: string): Metadata {
  const base = entry?.metadata ?? {}
  const { merged, replaced } = mergeMetadata(base, metadata ?? base, remote.metadata ?? base)
  for (const key of replaced) {
    run.report.notes.push(
      `${name}: both sides changed the metadata \`${key}\`; the value of the folder replaces the other one`,
    )
  }
  return merged
}

/** Records the version of the space. What the metadata file has to have first is recorded later. */
function recordPage(
  run: Run,
  { entry }: Unit,
  remote: RemoteItem & { readonly digest: string; readonly name: string },
): Entry {
  const { path, name, version, digest } = remote
  const page = { kind: 'page', path, name, version, digest } as const
  const metadata = remote.metadata ?? entry?.metadata
  const withMetadata = (pageMetadata: Metadata | undefined): Entry =>
    pageMetadata && Object.keys(pageMetadata).length > 0 ? { ...page, metadata: pageMetadata } : page
  const base = withMetadata(metadata)
  const former = entry && toKey(entry)
  if (!run.metadata) run.state.record(base, former)
  else {
    // Until the metadata file has the new path of a page, an entry there would make its metadata look deleted.
    if (entry?.path === path || !entry) run.state.record(withMetadata(entry?.metadata), former)
    run.deferred.set(toKey(base), { entry: base, former })
  }
  return base
}

/** The file with the merged text and metadata, unless it has both already. */
async function writePage(
  run: Run,
  { local, metadata: before }: Unit,
  page: { readonly name: string; readonly body: Buffer; readonly metadata: Metadata },
): Promise<LocalFile> {
  const { name, body, metadata } = page
  const isSame = computeSha256(body) === local?.digest && (run.metadata || jsonEqual(before ?? {}, metadata))
  if (local && isSame) return local
  const bytes = run.metadata ? body : Buffer.from(joinPageFile({ body: body.toString('utf8'), metadata }))
  return run.folder.write(name, bytes, local)
}

/** The text of both sides; undefined if it has a conflict already. */
async function mergeBody(run: Run, mine: string, entry: Entry | undefined, remote: RemoteItem) {
  const theirs = remote.body?.toString('utf8') ?? ''
  const digest = computeSha256(Buffer.from(mine))
  const settleOn = (text: string) => ({ body: Buffer.from(text), isConflict: false })
  if (digest === remote.digest) return settleOn(mine)
  if (digest === entry?.digest) return settleOn(theirs)
  if (await hasConflict(run, mine, entry)) {
    // The conflict with this text was written just before a crash.
    return isConflictWith(mine, remote) ? { body: Buffer.from(mine), isConflict: true } : undefined
  }
  if (remote.digest === entry?.digest) return settleOn(mine)
  const base = entry && (await readBase(run, remote.path, entry))
  const parts = merge3(base ?? '', mine, theirs)
  const text = settledText(parts)
  if (text !== undefined) return settleOn(text)
  const markedBody = markedText(parts, { mine: 'yours', theirs: conflictLabel(remote) })
  return { body: Buffer.from(markedBody), isConflict: true }
}

async function pullFile(run: Run, unit: Unit, remote: RemoteItem): Promise<Unit> {
  const { entry, local } = unit
  const { path, version, digest = '' } = remote
  const name = chooseName(run, unit, remote)
  const isMine = local !== undefined && (local.digest === digest || digest === entry?.digest)
  if (local && !isMine && local.digest !== entry?.digest) {
    const copy = nameConflictCopy(name, local.digest)
    const draft = join(run.state.paths.drafts, local.digest)
    // Copied first, so that no moment has but one of both.
    await copyFile(join(run.folder.root, name), draft)
    await rename(draft, join(run.folder.root, copy))
    run.report.conflicts.add(copy)
  }
  const file = isMine
    ? local
    : await run.folder.download(name, { stream: await run.service.openFile(path, version), digest }, local)
  const base: Entry = { kind: 'file', path, name, version, digest }
  run.state.record(base, entry && toKey(entry))
  return { entry: base, local: file, remote: 'unchanged', metadata: {} }
}
