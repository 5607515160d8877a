import { type Comparison, compareSides, type Session } from './compare.ts'
import { hasConflict } from './run.ts'
import {
  type ChangeKind,
  findRefusal,
  localChanges,
  localMove,
  type Move,
  remoteChanges,
  remoteMove,
  toLabel,
  type Unit,
} from './units.ts'

export type Status = Awaited<ReturnType<typeof readStatus>>
export type ChangedItem = ReturnType<typeof changedItems>[number]

/** What differs, without a change of either side. */
export async function readStatus(session: Session, full = false) {
  const { run, units } = await compareSides(session, { full })
  const conflicts = new Set(run.report.conflicts)
  for (const unit of units) if (await isInConflict(run, unit)) conflicts.add(toLabel(unit))
  return {
    /** Changes of the folder, which a push applies. */
    folder: changedItems(
      units.filter((unit) => findRefusal(unit) === undefined),
      localChanges,
      localMove,
    ),
    /** Changes of the space, which a pull applies. */
    space: changedItems(units, remoteChanges, remoteMove),
    /** Files with conflicts, and copies of files in conflict. */
    conflicts: [...conflicts].sort(),
    problems: [...run.report.problems].map(([name, reason]) => ({ name, reason })),
  }
}

function changedItems(
  units: readonly Unit[],
  toChanges: (unit: Unit) => readonly ChangeKind[],
  toMove: (unit: Unit) => Move | undefined,
) {
  const toItem = (unit: Unit, change: ChangeKind) => ({
    change,
    name: toLabel(unit),
    ...(change === 'moved' && { move: toMove(unit) }),
  })
  return units
    .flatMap((unit) => toChanges(unit).map((change) => toItem(unit, change)))
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
