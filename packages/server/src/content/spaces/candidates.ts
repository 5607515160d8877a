import type { Static } from 'typebox'
import { isUnlimited } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { emailOrUndefined } from '../../identity/principals/email.ts'
import { buildPage, type List, type PageQuery, parseWindow } from '../../platform/http/paging.ts'
import type { candidateSchema } from './schema.ts'
import { requireRow } from './space.ts'
import { type GroupCandidate, listCandidates, listGroupCandidates } from './store-members.ts'

export type { GroupCandidate }

/** A principal who could get a role in a space, with the present one. */
export type Candidate = Static<typeof candidateSchema>

const MAX_LISTED = 20

interface Search {
  readonly space: string
  readonly name: string
}

/**
 * Principals, by name, whose names contain a text, and who has it as e-mail address; without disabled ones. For admins
 * of the space. Addresses are known to whoever knows them whole, and to no key or app with limits.
 */
export async function memberCandidates(ctx: Ctx, search: Search & PageQuery): Promise<List<Candidate>> {
  const space = await requireRow(ctx, search.space, 'admin')
  const name = search.name.trim()
  const window = parseWindow(ctx, `candidates/${space.id}/${name}`, search, ['text', 'id'])
  const isSearched = name !== '' && space.kind === 'shared'
  const email = isUnlimited(ctx.actor) ? emailOrUndefined(name) : undefined
  const { after, limit } = window
  const rows = isSearched
    ? await listCandidates(ctx.db, { spaceId: space.id, name, email, after, limit: limit + 1 })
    : []
  return buildPage(window, rows, ['sort_name', 'id'], ({ principal, role, match }) => ({ principal, role, match }))
}

/** The first groups, by name, whose names contain a text. For admins of the space. */
export async function groupCandidates(ctx: Ctx, search: Search) {
  const space = await requireRow(ctx, search.space, 'admin')
  const name = search.name.trim()
  if (name === '' || space.kind === 'personal') return { items: [], more: false }
  const candidateGroups = await listGroupCandidates(ctx.db, { spaceId: space.id, name, limit: MAX_LISTED + 1 })
  return { items: candidateGroups.slice(0, MAX_LISTED), more: candidateGroups.length > MAX_LISTED }
}
