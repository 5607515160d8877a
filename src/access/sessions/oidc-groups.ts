import type { OidcConfig } from '../../config/oidc.ts'
import type { Tx } from '../../database/transaction.ts'
import { recordAuditEntry } from '../audit.ts'
import type { Ctx } from '../ctx.ts'
import { groupTarget } from '../groups/groups.ts'
import { setOidcGroups } from '../groups/store.ts'
import type { PrincipalRow } from '../principals.ts'
import { type Claims, valuesOf } from './oidc-roles.ts'

/**
 * Adds a person to the groups named by the claim, and removes them from groups that an earlier sign-in added and the
 * claim no longer names. Memberships that an admin or SCIM added are kept.
 */
export async function syncOidcGroups(
  tx: Pick<Ctx, 'now' | 'address'> & Pick<Tx, 'db'>,
  person: PrincipalRow,
  claims: Claims,
  { groupsClaim }: OidcConfig,
): Promise<void> {
  if (groupsClaim === undefined) return
  const { added, removed } = await setOidcGroups(tx, {
    principalId: person.id,
    names: valuesOf(claims, groupsClaim).map((name) => name.replaceAll('\0', '')),
    now: tx.now(),
  })
  const details = { principal: { id: person.id, name: person.name, kind: person.kind }, source: 'oidc' }
  const own = { ...tx, actor: person }
  for (const group of added) {
    await recordAuditEntry(own, { action: 'group.member_added', target: groupTarget(group), details })
  }
  for (const group of removed) {
    await recordAuditEntry(own, { action: 'group.member_removed', target: groupTarget(group), details })
  }
}
