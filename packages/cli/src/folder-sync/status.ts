import { type Comparison, compareSides, type Session } from './compare.ts'
import { hasConflict } from './run.ts'
import * as sides from './units.ts'

export type Status = Awaited<ReturnType<typeof readStatus>>
export type ChangedItem = ReturnType<typeof changedItems>[number]

/** What differs, without a change of either side. */
export async function readStatus(session: Session, full = false) {
  const { run, units } = await compareSides(session, { full })
  const conflicts = new Set(run.report.conflicts)
  for (const unit of units) if (await isInConflict(run, unit)) conflicts.add(sides.toLabel(unit))
  return {
    /** Changes of the folder, which a push applies. */
    folder: changedItems(
      units.filter((unit) => sides.findRefusal(unit) === undefined),
      sides.localChanges,
      sides.localMove,
    ),
    /** Changes of the space, which a pull applies. */
    space: changedItems(units, sides.remoteChanges, sides.remoteMove),
    /** Files with conflicts, and copies of files in conflict. */
    conflicts: [...conflicts].sort(),
    problems: [...run.report.problems].map(([name, reason]) => ({ name, reason })),
  }
}

function changedItems(
  units: readonly sides.Unit[],
  toChanges: (unit: sides.Unit) => readonly sides.ChangeKind[],
  toMove: (unit: sides.Unit) => sides.Move | undefined,
) {
  const toItem = (unit: sides.Unit, change: sides.ChangeKind) => ({
    change,
    name: sides.toLabel(unit),
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

async function isInConflict(run: Comparison['run'], { entry, local }: sides.Unit): Promise<boolean> {
  if (local?.kind !== 'page' || local.digest === entry?.digest) return false
  return hasConflict(run, (await run.folder.read(local.name)).toString('utf8'), entry)
}
