import { type Comparison, compareSides, type Session } from './compare.ts'
import { hasConflict } from './run.ts'
import { type ChangeKind, labelOf, localChanges, remoteChanges, type Unit } from './units.ts'

export interface ChangedItem {
  readonly change: ChangeKind
  readonly name: string
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
  const changed = (changesOf: (unit: Unit) => readonly ChangeKind[]) =>
    units
      .flatMap((unit) => changesOf(unit).map((change) => ({ change, name: labelOf(unit) })))
      .sort((one, other) => (one.name < other.name ? -1 : 1))
  return {
    folder: changed(localChanges),
    space: changed(remoteChanges),
    conflicts: [...conflicts].sort(),
    problems: [...run.report.problems].map(([name, reason]) => ({ name, reason })),
  }
}

/** Whether both sides are equal. */
export function isInSync({ folder, space, conflicts, problems }: Status): boolean {
  return [folder, space, conflicts, problems].every((list) => list.length === 0)
}

async function isInConflict(run: Comparison['run'], { entry, local }: Unit): Promise<boolean> {
  if (local?.kind !== 'page' || local.digest === entry?.digest) return false
  return hasConflict(run, (await run.folder.read(local.name)).toString('utf8'), entry)
}
