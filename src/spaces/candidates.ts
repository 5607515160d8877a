import type { Actor, Role } from '../access/caller.ts'
import type { Ctx } from '../access/ctx.ts'
import { requireRow } from './space.ts'
import { type GroupName, listGroupCandidates } from './store-groups.ts'
import { listCandidates } from './store-members.ts'

/** A principal who could get a role in a space, with the present one. */
export interface Candidate {
  readonly principal: Actor
  readonly role: Role | null
}

const MOST = 20

/** The first principals, by name, whose names contain a text; without disabled ones. For admins of the space. */
export async function memberCandidates(
  ctx: Ctx,
  input: { readonly space: string; readonly name: string },
): Promise<{ readonly items: Candidate[]; readonly more: boolean }> {
  const space = await requireRow(ctx, input.space, 'admin')
  const name = input.name.trim()
  if (name === '' || space.kind === 'personal') return { items: [], more: false }
  const found = await listCandidates(ctx.db, { spaceId: space.id, name, limit: MOST + 1 })
  return { items: found.slice(0, MOST), more: found.length > MOST }
}

/** A group that could get a role in a space, with the present one. */
export interface GroupCandidate {
  readonly group: GroupName
  readonly role: Role | null
}

/** The first groups, by name, whose names contain a text. For admins of the space. */
export async function groupCandidates(
  ctx: Ctx,
  input: { readonly space: string; readonly name: string },
): Promise<{ readonly items: GroupCandidate[]; readonly more: boolean }> {
  const space = await requireRow(ctx, input.space, 'admin')
  const name = input.name.trim()
  if (name === '' || space.kind === 'personal') return { items: [], more: false }
  const found = await listGroupCandidates(ctx.db, { spaceId: space.id, name, limit: MOST + 1 })
  return { items: found.slice(0, MOST), more: found.length > MOST }
}
