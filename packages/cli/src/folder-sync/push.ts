/** Applies what changed in the folder to the space. Every write names the version that it is based on. */
import { openAsBlob } from 'node:fs'
import { join } from 'node:path'
import { inParallel } from '@recto/lib/concurrency/in-parallel.ts'
import type { VersionTag } from '@recto/lib/network/header-values.ts'
import { computeSha256, type Entry, type LocalFile, pageVersion, toKey } from './entry.ts'
import { diffMetadata } from './metadata.ts'
import { hasConflict, type Run, readLocal } from './run.ts'
import { PAGES_AT_ONCE } from './service.ts'
import type { PageToWrite, RedirectEnded } from './service-writes.ts'
import { localChanges, type Unit } from './units.ts'

/** Reads and moves at the same time, and requests that write pages. */
const CONCURRENCY = 8
const REQUESTS = 4
const MAX_REQUEST_PAGES = 25
const MAX_REQUEST_BYTES = 1024 * 1024

/** Does the work for one unit; its errors do not stop the others. */
export type Attempt = (unit: Unit, work: () => Promise<void>) => Promise<void>

/** A page whose text is to be written, after its move. */
interface PreparedPage extends PageToWrite {
  readonly unit: Unit
  readonly entry: Entry | undefined
  readonly local: LocalFile
  readonly digest: string
}

export async function pushAll(run: Run, units: readonly Unit[], attempt: Attempt, onStep: () => void): Promise<void> {
  moveMetadata(run, units)
  for (let at = 0; at < units.length; at += PAGES_AT_ONCE) {
    const preparedPages: PreparedPage[] = []
    await inParallel(units.slice(at, at + PAGES_AT_ONCE), CONCURRENCY, async (unit) => {
      let page: PreparedPage | undefined
      await attempt(unit, async () => {
        page = await pushOthers(run, unit)
      })
      if (page) preparedPages.push(page)
      else onStep()
    })
    await inParallel(groupRequests(preparedPages), REQUESTS, async (pages) => {
      const versions = pages.length > 1 ? await run.service.putPages(pages) : []
      await inParallel(pages.entries(), CONCURRENCY / REQUESTS, async ([index, page]) => {
        await attempt(page.unit, () => finishPage(run, page, versions[index]))
        onStep()
      })
    })
  }
}

/** The metadata file gets the new paths before `base.json`: otherwise a crash would make metadata look deleted. */
function moveMetadata({ metadata }: Run, units: readonly Unit[]): void {
  for (const { entry, local } of units) {
    if (entry && local && entry.path !== local.path) metadata?.move(entry.path, local.path)
  }
  metadata?.save()
}

/** The pages of each request. */
function groupRequests(pages: readonly PreparedPage[]): PreparedPage[][] {
  const requests: PreparedPage[][] = []
  let last: PreparedPage[] = []
  let bytes = 0
  for (const page of pages) {
    bytes += page.body.length
    if (last.length === 0 || last.length === MAX_REQUEST_PAGES || bytes > MAX_REQUEST_BYTES) {
      last = []
      requests.push(last)
      bytes = page.body.length
    }
    last.push(page)
  }
  return requests
}

/** Pushes all of a unit but the text of its page, which is returned. */
async function pushOthers(run: Run, unit: Unit): Promise<PreparedPage | undefined> {
  const { entry, local } = unit
  if (localChanges(unit).length === 0) {
    if (local && entry && local.name !== entry.name) run.state.record({ ...entry, name: local.name })
    return undefined
  }
  if (!local) {
    if (entry) await pushDeletion(run, entry)
    reportPush(run, unit)
    return undefined
  }
  const movedEntry = entry && (await pushMove(run, entry, local))
  if (local.kind === 'file') await pushBytes(run, movedEntry, local)
  else {
    const body = Buffer.from(await readLocal(run, local))
    const digest = computeSha256(body)
    if (movedEntry?.digest !== digest) return preparePage(run, { unit, entry: movedEntry, local, body, digest })
    await pushMetadata(run, movedEntry, unit)
  }
  reportPush(run, unit)
  return undefined
}

function reportPush({ report }: Run, unit: Unit): void {
  const name = unit.local?.name ?? unit.entry?.name ?? ''
  for (const change of localChanges(unit)) report.changes.push({ to: 'space', change, name })
}

/** Undefined if the file has a conflict. */
async function preparePage(
  run: Run,
  page: Omit<PreparedPage, 'path' | 'base' | 'metadata'>,
): Promise<PreparedPage | undefined> {
  const { unit, entry, local, body } = page
  if (await hasConflict(run, body.toString('utf8'), entry)) {
    run.report.conflicts.add(local.name)
    return undefined
  }
  return { ...page, path: local.path, base: entry?.version, metadata: entry ? undefined : unit.metadata }
}

/** `writtenVersion` is its version, if it is written already. */
async function finishPage(run: Run, page: PreparedPage, writtenVersion: VersionTag | undefined): Promise<void> {
  const { unit, entry, local, digest, metadata } = page
  const version = writtenVersion ?? (await putPage(run, page))
  const createdMetadata =
    writtenVersion !== undefined && metadata && Object.keys(metadata).length > 0 ? { metadata } : {}
  const after: Entry = {
    ...entry,
    kind: 'page',
    path: local.path,
    name: local.name,
    version,
    digest,
    ...createdMetadata,
  }
  run.state.record(after)
  await pushMetadata(run, after, unit)
  reportPush(run, unit)
}

async function putPage(run: Run, page: PreparedPage): Promise<VersionTag> {
  const after = await run.service.putPage({ ...page, leftTo: run.ownMoves.get(toKey(page.local)) })
  noteRedirect(run, page.local, after)
  return pageVersion(after)
}

function noteRedirect({ report }: Run, { name }: LocalFile, { redirectEnded: to }: RedirectEnded): void {
  if (to) report.notes.push(`${name} is new: its URL no longer redirects to ${to.space}/${to.path}`)
}

async function pushDeletion(run: Run, entry: Entry): Promise<void> {
  await run.service.remove(entry.kind, entry.path, entry.version)
  run.state.drop(toKey(entry))
  run.metadata?.delete(entry.path)
}

async function pushMove(run: Run, entry: Entry, local: LocalFile): Promise<Entry> {
  if (local.path === entry.path) return { ...entry, name: local.name }
  const version = await run.service.move(entry.kind, entry.path, local.path, entry.version)
  run.ownMoves.set(toKey(entry), local.path)
  const movedEntry = { ...entry, path: local.path, name: local.name, version }
  run.state.record(movedEntry, toKey(entry))
  return movedEntry
}

async function pushBytes(run: Run, entry: Entry | undefined, local: LocalFile): Promise<void> {
  if (entry?.digest === local.digest) return
  const blob = await openAsBlob(join(run.folder.root, local.name))
  const target = { path: local.path, base: entry?.version, leftTo: run.ownMoves.get(toKey(local)) }
  const after = await run.service.putFile(target, blob)
  noteRedirect(run, local, after)
  const { digest } = after
  run.state.record({ kind: 'file', path: local.path, name: local.name, version: pageVersion(after), digest })
}

async function pushMetadata(run: Run, entry: Entry, { metadata }: Unit): Promise<void> {
  if (!metadata) return
  const set = diffMetadata(entry.metadata ?? {}, metadata)
  if (Object.keys(set).length === 0) return
  await run.service.patchMetadata(entry.path, set)
  const { metadata: _, ...others } = entry
  run.state.record(Object.keys(metadata).length > 0 ? { ...others, metadata } : others)
}
