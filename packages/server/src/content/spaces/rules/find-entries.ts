import { isUuid } from '@recto/lib/encoding/uuid7.ts'
import { type Actor, isOrgAdmin, isUnlimited } from '../../../access/caller.ts'
import type { Ctx } from '../../../access/ctx.ts'
import { emailOrUndefined } from '../../../identity/principals/email.ts'
import { requireRow } from '../space.ts'
import { listCandidates, listGroupCandidates } from '../store-members.ts'
import { listNamed } from './store-rules.ts'

/** A principal or a group that is, or could be, on a list of a rule. */
export interface RuleEntry {
  readonly principal?: Actor
  readonly group?: { readonly id: string; readonly name: string }
  readonly guest?: boolean
}

/** Which principals and groups a text means. */
interface EntryMatches {
  /** The only one with this whole name or e-mail address. */
  readonly one: RuleEntry | undefined
  /** Those whose names contain it. */
  readonly items: readonly RuleEntry[]
  readonly more: boolean
}

const MAX_FOUND = 20

/**
 * The principals and groups that a name or an e-mail address means, for admins of the space; `onlyGuests`: of guests
 * alone. A guest from elsewhere is found by the whole address; organisation admins find them by name, too.
 */
export async function findEntries(
  ctx: Ctx,
  { space: slug, text, onlyGuests }: { readonly space: string; readonly text: string; readonly onlyGuests: boolean },
): Promise<EntryMatches> {
  const space = await requireRow(ctx, slug, 'admin')
  const name = text.trim()
  const search = { spaceId: space.id, name, limit: MAX_FOUND + 1 }
  const email = isUnlimited(ctx.actor) ? emailOrUndefined(name) : undefined
  const allGuests = isOrgAdmin(ctx.actor)
  const [people, groups] = await Promise.all([
    listCandidates(ctx.db, { ...search, email, after: undefined, allGuests, onlyGuests }),
    onlyGuests ? [] : listGroupCandidates(ctx.db, search),
  ])
  const items: RuleEntry[] = [
    ...people.map(({ principal, guest }) => ({ principal, guest })),
    ...groups.map(({ group }) => ({ group })),
  ]
  const isWhole = (other: string) => other.toLowerCase() === name.toLowerCase()
  const whole = items.filter(({ principal, group }) => isWhole(principal?.name ?? group?.name ?? ''))
  const byEmail = people.find(({ match }) => match === 'email')
  return {
    one: byEmail ? { principal: byEmail.principal, guest: byEmail.guest } : whole.length === 1 ? whole[0] : undefined,
    items: items.slice(0, MAX_FOUND),
    more: items.length > MAX_FOUND,
  }
}

/** The principals and groups of some ids, by name, for admins of the space; ids of nobody are left out. */
export async function readEntries(ctx: Ctx, slug: string, ids: readonly string[]): Promise<RuleEntry[]> {
  await requireRow(ctx, slug, 'admin')
  const rows = await listNamed(ctx.db, ids.filter(isUuid))
  // one of them
  return rows.map(({ principal, group, guest }) => (principal ? { principal, guest } : { group })) as RuleEntry[]
}
