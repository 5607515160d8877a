import type { Ctx } from '../access/ctx.ts'
import type { Db } from '../database/database.ts'
import { requireRow } from './space.ts'
import { type Candidate, type GroupCandidate, listCandidates, listGroupCandidates } from './store-members.ts'

export type { Candidate, GroupCandidate }

const MAX_LISTED = 20

interface Search {
  readonly space: string
  readonly name: string
}

/** The first principals, by name, whose names contain a text; without disabled ones. For admins of the space. */
export function memberCandidates(ctx: Ctx, search: Search) {
  return candidates(ctx, search, listCandidates)
}

/** The first groups, by name, whose names contain a text. For admins of the space. */
export function groupCandidates(ctx: Ctx, search: Search) {
  return candidates(ctx, search, listGroupCandidates)
}

async function candidates<T>(
  ctx: Ctx,
  search: Search,
  list: (db: Db, query: { spaceId: number; name: string; limit: number }) => Promise<T[]>,
) {
  const space = await requireRow(ctx, search.space, 'admin')
  const name = search.name.trim()
  if (name === '' || space.kind === 'personal') return { items: [], more: false }
  const found = await list(ctx.db, { spaceId: space.id, name, limit: MAX_LISTED + 1 })
  return { items: found.slice(0, MAX_LISTED), more: found.length > MAX_LISTED }
}
