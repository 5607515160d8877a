import { AppError } from '@recto/contract/errors.ts'
import { parsePagePath } from '@recto/contract/page-address.ts'
import type { Static } from 'typebox'
import { type Role, requireOrgAdmin, toRole } from '../../../access/caller.ts'
import type { Ctx } from '../../../access/ctx.ts'
import { requirePaths, requireSpace } from '../../../access/space.ts'
import { findPrincipal, noSuchPrincipal } from '../../../identity/principals/principals.ts'
import { buildPage, type List, type PageQuery, parseWindow } from '../../../platform/http/paging.ts'
import { rejectGuest } from '../members.ts'
import type { accessSchema, readerSchema } from './schema.ts'
import { type AccessRow, findAccess, findSharedSpace, listReaders, listRestrictedPrefixes } from './store-readers.ts'

/** Somebody who can read a place, and what they may do there. */
export type Reader = Static<typeof readerSchema>

/** What a principal may do at a place, and what decides that. */
export type Access = Static<typeof accessSchema>

interface Place {
  readonly space: string
  /** Of a page, file or folder; absent: the space without its folder rules. */
  readonly path?: string | undefined
}

/** The people and agents who can read a place, by name. For whoever can read it, but guests. */
export async function listReadersAt(
  ctx: Ctx,
  input: PageQuery & Place & { readonly name?: string | undefined; readonly principal?: readonly string[] | undefined },
): Promise<List<Reader>> {
  const space = await requireSpace(ctx, input.space, 'viewer')
  rejectGuest(ctx)
  const path = input.path === undefined ? '' : parsePagePath(input.path)
  if (path !== '') await requirePaths(ctx, space, [path], 'viewer')
  const { name = '', principal: ids } = input
  const window = parseWindow(ctx, `readers/${space.id}/${path}/${name}`, input, ['text', 'id'])
  const { after, limit } = window
  const rows = await listReaders(ctx.db, { spaceId: space.id, path, name, ids, after, limit: limit + 1 })
  return buildPage(window, rows, ['sort_name', 'id'], ({ principal, guest, rank }) => ({
    principal,
    guest,
    role: roleAt(rank),
  }))
}

/** The paths in a space with rules of their own that narrow reading, of those where the caller reads. */
export async function listRestricted(ctx: Ctx, slug: string): Promise<ReadonlySet<string>> {
  const space = await requireSpace(ctx, slug, 'viewer')
  return new Set(await listRestrictedPrefixes(ctx.db, ctx.actor, space.id))
}

/** What a principal may do at a place, and the row that decides it. For organisation admins. */
export async function explainAccess(ctx: Ctx, input: Place & { readonly principal: string }): Promise<Access> {
  requireOrgAdmin(ctx)
  const principal = await findPrincipal(ctx.db, input.principal)
  if (!principal) throw noSuchPrincipal()
  const space = await findSharedSpace(ctx.db, input.space)
  if (!space) throw new AppError('not_found', `There is no shared space \`${input.space}\`.`)
  const path = input.path === undefined ? '' : parsePagePath(input.path)
  const row = await findAccess(ctx.db, { principalId: principal.id, spaceId: space.id, path })
  const { id, name, kind, guest } = principal
  const disabled = principal.disabled_at !== null
  return {
    principal: { id, name, kind },
    guest,
    role: disabled || !row ? null : (toRole(row.rank) ?? null),
    decidedBy: disabled || !row ? { by: 'disabled' } : decide(row, guest),
  }
}

/** What decides: the rule at the place, unless the principal is an admin there; else what gives the space's role. */
function decide(row: AccessRow, guest: boolean): Access['decidedBy'] {
  const { prefix } = row
  const role = (rank: number) => toRole(rank) ?? null
  if (prefix !== null && row.role_rank < 3) return { by: 'folder-rule', prefix, spaceRole: role(row.role_rank) }
  if (row.org_admin) return { by: 'organisation-role', spaceRole: 'admin' }
  const groups = row.groups.filter((group) => group.role === role(row.role_rank))
  if (row.member_role !== null && row.member_role === role(row.role_rank))
    return { by: 'member', spaceRole: row.member_role }
  if (groups[0]) return { by: 'group', group: { id: groups[0].id, name: groups[0].name }, spaceRole: groups[0].role }
  if (row.role_rank > 0) return { by: 'visibility', visibility: row.visibility, spaceRole: role(row.role_rank) }
  return { by: guest ? 'guest' : 'visibility', visibility: row.visibility, spaceRole: null }
}

function roleAt(rank: number): Role {
  const role = toRole(rank)
  if (!role) throw new Error('readers have a rank')
  return role
}
