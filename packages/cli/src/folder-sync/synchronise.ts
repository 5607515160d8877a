/** One run: `pull`, `push` or both. It is repeated for what somebody changed meanwhile. */
import { rmSync } from 'node:fs'
import { ApiError } from '@recto/client/transport/errors.ts'
import { toEffect } from '@recto/contract/error-effect.ts'
import { inParallel } from '@recto/lib/concurrency/in-parallel.ts'
import { jsonEqual } from '@recto/lib/json/json.ts'
import { EXIT, StateError } from '../command.ts'
import { inBatches } from './bodies.ts'
import { type Comparison, compareSides, type Session } from './compare.ts'
import { toKey } from './entry.ts'
import { isSystemError } from './folder.ts'
import { lockFolder } from './lock.ts'
import { UnsyncableFileError } from './page-file.ts'
import { pullUnit } from './pull.ts'
import { pushAll } from './push.ts'
import { newReport, type Report, type Run, readBase } from './run.ts'
import { StaleError } from './service-writes.ts'
import { statePaths } from './state.ts'
import { findRefusal, listKeys, listSpaceKeys, localChanges, remoteChanges, toLabel, type Unit } from './units.ts'

export type Direction = 'pull' | 'push' | 'sync'

export interface SyncOptions {
  readonly direction: Direction
  /** Delete also a large part of one side. */
  readonly allowDeletes?: boolean
  /** Compare all of the space, not only what the change feed names. */
  readonly full?: boolean
  readonly onStart?: (total: number) => void
  readonly onStep?: () => void
  readonly onEnd?: () => void
}

const MAX_ROUNDS = 5
const CONCURRENCY = 8
const FEW_DELETES = 10
const MAX_DELETED_SHARE = 0.25

export async function synchronise(session: Session, options: SyncOptions): Promise<Report> {
  const { lock, drafts } = statePaths(session.root)
  using _ = lockFolder(lock)
  // What a run that did not end has left.
  rmSync(drafts, { recursive: true, force: true })
  const total = newReport()
  const ownMoves: Run['ownMoves'] = new Map()
  let dirty: ReadonlySet<string> = new Set()
  for (let round = 1; ; round++) {
    const view = await compareSides(session, { dirty, full: options.full === true && round === 1, ownMoves })
    const { stale } = await reconcile(view, options)
    addReport(total, view.run.report)
    options.onEnd?.()
    if (stale.size === 0) return total
    if (round === MAX_ROUNDS) {
      for (const key of stale) total.problems.set(key, `it changed ${MAX_ROUNDS} times during the run: run it again`)
      return total
    }
    dirty = stale
  }
}

function addReport(total: Report, { changes, conflicts, problems, notes }: Report): void {
  for (const item of changes) total.changes.push(item)
  for (const note of notes) total.notes.push(note)
  total.problems.clear()
  for (const name of conflicts) total.conflicts.add(name)
  for (const [name, reason] of problems) total.problems.set(name, reason)
}

/** What has to be looked at again: in this run, and in the next one. */
interface Left {
  readonly stale: Set<string>
  readonly pending: Set<string>
}

async function reconcile(view: Comparison, options: SyncOptions): Promise<Left> {
  const { run, remote } = view
  const units = remote.restored
    ? await Promise.all(view.units.map((unit) => withKnownBase(run, unit, view)))
    : view.units
  limitDeletes(run, units, options)
  const leftUnits: Left = { stale: new Set(), pending: new Set(view.blocked) }
  const current = await pullAll(run, units, options, leftUnits)
  saveMetadata(run)
  if (options.direction !== 'pull') {
    const changedUnits = current.filter(
      (unit) => findRefusal(unit) === undefined && (localChanges(unit).length > 0 || isRenamed(unit)),
    )
    options.onStart?.(changedUnits.length)
    const { onStep = () => {} } = options
    await pushAll(run, changedUnits, (unit, work) => attempt(run, unit, leftUnits, work), onStep)
    run.metadata?.save()
  }
  for (const key of leftUnits.stale) leftUnits.pending.add(key)
  run.state.save({ position: remote.position, pending: leftUnits.pending, listedAt: remote.listedAt })
  return leftUnits
}

/** After a restore of the service a version can name another text than before: then there is no common one. */
async function withKnownBase(run: Run, unit: Unit, { remote }: Comparison): Promise<Unit> {
  const { entry } = unit
  if (!entry || unit.remote === 'unchanged') return unit
  const isKnown =
    typeof unit.remote === 'object'
      ? unit.remote.digest === entry.digest ||
        (entry.kind === 'page' && (await readBase(run, unit.remote.path, entry)) !== undefined)
      : remote.gone.get(toKey(entry))?.inTrash === true
  if (isKnown) return unit
  run.state.drop(toKey(entry))
  return { ...unit, entry: undefined }
}

/** Moves first, because they free names. Returns the units that can be pushed. */
async function pullAll(
  run: Run,
  units: readonly Unit[],
  { direction, onStart, onStep }: SyncOptions,
  leftUnits: Left,
): Promise<Unit[]> {
  const done: Unit[] = []
  const chosenUnits: Unit[] = []
  for (const unit of units) {
    const isOwn = localChanges(unit).length > 0
    const isOnlyHere = unit.remote === 'absent' && !unit.entry
    if (unit.remote === 'unchanged' || isOnlyHere) done.push(unit)
    else if (direction !== 'push' || isOwn) chosenUnits.push(unit)
    else addKeys(leftUnits.pending, listSpaceKeys(unit))
  }
  onStart?.(chosenUnits.length)
  const pullOne = async (unit: Unit) => {
    await attempt(run, unit, leftUnits, async () => {
      const after = await pullUnit(run, unit)
      if (after) done.push(after)
      else {
        addKeys(leftUnits.pending, listSpaceKeys(unit))
        run.report.conflicts.add(toLabel(unit))
      }
    })
    onStep?.()
  }
  const [moved, others] = [chosenUnits.filter(isMoved), chosenUnits.filter((unit) => !isMoved(unit))]
  const stale = (unit: Unit) => addKeys(leftUnits.stale, listKeys(unit))
  for await (const batch of inBatches(run, moved, stale)) for (const unit of batch) await pullOne(unit)
  for await (const batch of inBatches(run, others, stale)) await inParallel(batch, CONCURRENCY, pullOne)
  return done
}

/** Another name for the same path. */
function isRenamed({ entry, local }: Unit): boolean {
  return entry !== undefined && local !== undefined && entry.name !== local.name
}

function isMoved(unit: Unit): boolean {
  return remoteChanges(unit).includes('moved')
}

/** The metadata file is complete before `base.json`: otherwise a crash would make old values look like changes. */
function saveMetadata({ metadata, state, deferred }: Run): void {
  metadata?.save()
  for (const [key, { entry, former }] of deferred) {
    const knownEntry = state.entries.get(key)
    if (!knownEntry || !jsonEqual(knownEntry.metadata ?? {}, entry.metadata ?? {})) state.record(entry, former)
  }
}

/** The problem of one file does not stop the others. */
async function attempt(run: Run, unit: Unit, leftUnits: Left, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof StaleError) addKeys(leftUnits.stale, listKeys(unit))
    else if (isProblemOfOneFile(error)) {
      addKeys(leftUnits.pending, listSpaceKeys(unit))
      run.report.problems.set(toLabel(unit), error.message)
    } else throw error
  }
}

function isProblemOfOneFile(error: unknown): error is Error {
  if (error instanceof ApiError) return toEffect(error) !== 'stop'
  return error instanceof UnsyncableFileError || (isSystemError(error) && error.code !== 'ENOSPC')
}

function addKeys(keys: Set<string>, addedKeys: readonly string[]): void {
  for (const key of addedKeys) keys.add(key)
}

/** An empty folder, such as one that is not mounted, must not empty the space, and the other way round. */
function limitDeletes({ state }: Run, units: readonly Unit[], { direction, allowDeletes }: SyncOptions): void {
  if (allowDeletes) return
  const limit = Math.max(FEW_DELETES, state.entries.size * MAX_DELETED_SHARE)
  const here = direction === 'push' ? [] : units.filter((unit) => unit.local && isDeleted(remoteChanges(unit)))
  const there =
    direction === 'pull' ? [] : units.filter((unit) => unit.remote === 'unchanged' && isDeleted(localChanges(unit)))
  for (const [deleted, side] of [
    [here, 'folder'],
    [there, 'space'],
  ] as const) {
    if (deleted.length <= limit) continue
    throw new StateError(
      EXIT.conflict,
      `This would delete ${deleted.length} of ${state.entries.size} pages and files of the ${side}. ` +
        `Nothing was changed. If that is what you want, repeat it with --allow-deletes.`,
    )
  }
}

function isDeleted(changes: readonly string[]): boolean {
  return changes.includes('deleted')
}
