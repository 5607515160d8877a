import type { Resource } from '../../access/resource.ts'
import type { SpaceAccess } from '../../access/space.ts'
import { listTaken } from '../links/store-addresses.ts'
import type { PagesCtx } from '../pages/ctx.ts'
import { planFile, toResource } from './plan-file.ts'
import { type PlannedChange, planChange } from './plan-merge.ts'
import type { ChangeRow } from './store.ts'

export type RequestSpace = Pick<SpaceAccess, 'id' | 'slug'>

/** Whether the change puts a page or file where it is not yet: it creates it, or moves it there. */
const arrives = ({ is_deleted, path, page_path }: ChangeRow) => !is_deleted && path !== null && path !== page_path

/** Whether the change takes its page or file from where it is. */
const leaves = (change: ChangeRow) => change.page_path !== null && (change.is_deleted || arrives(change))

/** What the merge of all open changes of a request does now, with what others have put at their addresses. */
export async function planChanges(
  ctx: PagesCtx,
  { id: spaceId, slug }: RequestSpace,
  changes: readonly ChangeRow[],
  open: readonly ChangeRow[] = changes,
): Promise<PlannedChange[]> {
  const takenPaths = {
    page: await listOccupied(ctx, 'page', { spaceId, changes, open }),
    file: await listOccupied(ctx, 'file', { spaceId, changes, open }),
  }
  const plans: PlannedChange[] = []
  for (const change of changes) {
    const { address: path } = change
    const plan = await (change.resource === 'file' ? planFile : planChange)(ctx, slug, change)
    const isTaken = arrives(change) && takenPaths[change.resource].has(path)
    const conflicts = isTaken
      ? [...(plan.kind === 'restored' ? [] : plan.conflicts), { path, ...toResource(change), kind: 'exists' as const }]
      : plan.conflicts
    const version = plan.version === null ? {} : { version: plan.version }
    plans.push({ ...plan, conflicts: conflicts.map((conflict) => ({ ...conflict, ...version })) })
  }
  return plans
}

/** The paths of arriving pages or files at which there are others, which stay there. */
async function listOccupied(
  ctx: PagesCtx,
  resource: Resource,
  { spaceId, changes, open }: { spaceId: number; changes: readonly ChangeRow[]; open: readonly ChangeRow[] },
): Promise<ReadonlySet<string>> {
  const arriving = changes.filter((change) => change.resource === resource && arrives(change))
  const rows = await listTaken(ctx.db, resource, { spaceId, paths: arriving.map(({ address }) => address) })
  const leavingIds = new Set(open.flatMap((change) => (leaves(change) ? (change[`${resource}_id`] ?? []) : [])))
  return new Set(rows.flatMap(({ path, id }) => (leavingIds.has(id) ? [] : [path])))
}

/** The changes without which some cannot be merged: what leaves their addresses, and what moves with its folder. */
export function listRequired(changes: readonly ChangeRow[], open: readonly ChangeRow[]): string[] {
  const requiredChanges = new Set(changes)
  // What is added on the way is visited, too.
  for (const change of requiredChanges) {
    for (const other of open) if (needs(change, other)) requiredChanges.add(other)
  }
  const added = [...requiredChanges].slice(new Set(changes).size)
  return [...new Set(added.map(({ address }) => address))].sort()
}

function needs(change: ChangeRow, other: ChangeRow): boolean {
  if (!arrives(change) || !leaves(other)) return false
  const { page_path: from, address: to } = change
  const { page_path: otherFrom, address: otherTo } = other
  return (
    (otherFrom === to && change.resource === other.resource) ||
    (from !== null && otherFrom === from + otherTo.slice(to.length) && otherTo.startsWith(`${to}/`))
  )
}
