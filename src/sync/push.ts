/** Applies what changed in the folder to the space. Every write names the version that it is based on. */
import { openAsBlob } from 'node:fs'
import { join } from 'node:path'
import { type Entry, keyOf, type LocalFile, sha256 } from './entry.ts'
import { changesOf } from './metadata.ts'
import { splitPageFile } from './page-file.ts'
import { hasConflict, type Run } from './run.ts'
import { localChanges, type Unit } from './units.ts'

export async function pushUnit(run: Run, unit: Unit): Promise<void> {
  const changes = localChanges(unit)
  const { local } = unit
  if (changes.length === 0) {
    if (local && unit.entry && local.name !== unit.entry.name)
      run.state.record({ ...unit.entry, name: local.name })
    return
  }
  const done = local ? await pushFile(run, unit, local) : await pushDeletion(run, unit)
  if (!done) return
  for (const change of changes) {
    run.report.changes.push({ to: 'space', change, name: local?.name ?? unit.entry?.name ?? '' })
  }
}

async function pushDeletion(run: Run, { entry }: Unit): Promise<boolean> {
  if (!entry) return false
  await run.service.remove(entry.kind, entry.path, entry.version)
  run.state.drop(keyOf(entry))
  run.metadata?.delete(entry.path)
  return true
}

/** False if the file has a conflict. */
async function pushFile(run: Run, unit: Unit, local: LocalFile): Promise<boolean> {
  const moved = unit.entry && (await pushMove(run, unit.entry, local))
  const written =
    local.kind === 'page' ? await pushBody(run, moved, local) : await pushBytes(run, moved, local)
  if (!written) return false
  await pushMetadata(run, written, unit)
  return true
}

async function pushMove(run: Run, entry: Entry, local: LocalFile): Promise<Entry> {
  if (local.path === entry.path) return { ...entry, name: local.name }
  const version = await run.service.move(entry.kind, entry.path, local.path, entry.version)
  const moved = { ...entry, path: local.path, name: local.name, version }
  run.state.record(moved, keyOf(entry))
  run.metadata?.move(entry.path, local.path)
  return moved
}

async function pushBody(run: Run, entry: Entry | undefined, local: LocalFile): Promise<Entry | undefined> {
  const text = (await run.folder.read(local.name)).toString('utf8')
  const body = run.metadata ? text : splitPageFile(text).body
  const bytes = Buffer.from(body)
  const digest = sha256(bytes)
  if (entry?.digest === digest) return entry
  if (await hasConflict(run, body, entry)) {
    run.report.conflicts.add(local.name)
    return undefined
  }
  const version = await run.service.putPage(local.path, bytes, entry?.version)
  const written: Entry = { ...entry, kind: 'page', path: local.path, name: local.name, version, digest }
  run.state.record(written)
  return written
}

async function pushBytes(run: Run, entry: Entry | undefined, local: LocalFile): Promise<Entry> {
  if (entry?.digest === local.digest) return entry
  const blob = await openAsBlob(join(run.folder.root, local.name))
  const { version, digest } = await run.service.putFile(local.path, blob, entry?.version)
  const written: Entry = { kind: 'file', path: local.path, name: local.name, version, digest }
  run.state.record(written)
  return written
}

async function pushMetadata(run: Run, entry: Entry, { metadata }: Unit): Promise<void> {
  if (entry.kind !== 'page' || !metadata) return
  const set = changesOf(entry.metadata ?? {}, metadata)
  if (Object.keys(set).length === 0) return
  await run.service.patchMetadata(entry.path, set)
  const { metadata: _, ...others } = entry
  run.state.record(Object.keys(metadata).length > 0 ? { ...others, metadata } : others)
}
