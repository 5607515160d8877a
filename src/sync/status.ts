import { type Comparison, compareSides, type Session } from './compare.ts'
import { hasConflict } from './run.ts'
import {
  type ChangeKind,
  labelOf,
  localChanges,
  localMove,
  type Move,
  remoteChanges,
  remoteMove,
  type Unit,
} from './units.ts'

export interface ChangedItem {
  readonly change: ChangeKind
  readonly name: string
  /** If it was moved. */
  readonly move?: Move | undefined
}

/** What differs, without a change of either side. */
export interface Status {
  /** Changes of the folder, which a push applies. */
  readonly folder: readonly ChangedItem[]
  /** Changes of the space, which a pull applies. */
  readonly space: readonly ChangedItem[]
  /** Files with conflicts, and copies of files in conflict. */
  readonly conflicts: readonly string[]
  readonly problems: readonly { readonly name: string; readonly reason: string }[]
}

export async function readStatus(session: Session, full = false): Promise<Status> {
  const { run, units } = await compareSides(session, { full })
  const conflicts = new Set(run.report.conflicts)
  for (const unit of units) if (await isInConflict(run, unit)) conflicts.add(labelOf(unit))
  return {
    folder: changedItems(units, localChanges, localMove),
    space: changedItems(units, remoteChanges, remoteMove),
    conflicts: [...conflicts].sort(),
    problems: [...run.report.problems].map(([name, reason]) => ({ name, reason })),
  }
}

function changedItems(
  units: readonly Unit[],
  changesOf: (unit: Unit) => readonly ChangeKind[],
  moveOf: (unit: Unit) => Move | undefined,
): ChangedItem[] {
  const itemOf = (unit: Unit, change: ChangeKind) => ({
    change,
    name: labelOf(unit),
    ...(change === 'moved' && { move: moveOf(unit) }),
  })
  return units
    .flatMap((unit) => changesOf(unit).map((change) => itemOf(unit, change)))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Whether both sides are equal. */
export function isInSync({ folder, space, conflicts, problems }: Status): boolean {
  return [folder, space, conflicts, problems].every((list) => list.length === 0)
}

async function isInConflict(run: Comparison['run'], { entry, local }: Unit): Promise<boolean> {
  if (local?.kind !== 'page' || local.digest === entry?.digest) return false
  return hasConflict(run, (await run.folder.read(local.name)).toString('utf8'), entry)
}
