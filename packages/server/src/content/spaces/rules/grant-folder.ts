import { inputError } from '@recto/contract/errors.ts'
import { checkNewPath, parsePagePath } from '@recto/contract/page-address.ts'
import type { Role } from '../../../access/caller.ts'
import type { Ctx } from '../../../access/ctx.ts'
import { type NewAuditTarget, recordAuditEntry } from '../../../identity/principals/audit.ts'
import type { Tx } from '../../../platform/database/transaction.ts'
import { type RuleList, resolveRules } from './resolve.ts'
import { requireRoom } from './rules.ts'
import { findRule, listRulesToResolve, putRule, storeMeanings } from './store-rules.ts'

/** A principal who gets access to a folder, and what they may do there. */
export interface FolderGrant {
  readonly folder: string
  readonly principalId: string
  readonly guest: boolean
  readonly role: Role
}

/**
 * Adds a principal to the rule of a folder of a locked space. For a guest a new rule is made, which inherits the lists
 * above it; others are added to a rule that has a list of its own, since a new list would end what is above.
 */
export async function grantFolder(
  tx: Ctx & Tx,
  target: Extract<NewAuditTarget, { type: 'space' }>,
  { folder, principalId, guest, role }: FolderGrant,
): Promise<void> {
  const { spaceId } = target
  const prefix = parsePagePath(folder)
  checkNewPath(prefix)
  if (role === 'admin') throw inputError('invalid_request', 'A folder has no admins.', '/role', 'is impossible here')
  const rule = await findRule(tx.db, spaceId, prefix)
  if (!guest && (!rule || rule.inherits_read)) {
    const detail = `The folder \`${prefix}\` has no list of readers of its own, to which somebody who is no guest could be added.`
    throw inputError('invalid_request', detail, '/folder', 'has no list of readers')
  }
  if (!rule) await requireRoom(tx, spaceId)
  const { entries = [], inherits_read: inheritsRead = true, inherits_write: inheritsWrite = true } = rule ?? {}
  const otherEntries = entries.filter(
    ({ list, principal_id }) => principal_id !== principalId || !isReplaced(list, guest),
  )
  const lists = toLists(guest, role, inheritsWrite)
  await putRule(tx, {
    ...{ spaceId, prefix, inheritsRead, inheritsWrite },
    entries: [...otherEntries, ...lists.map((list) => ({ list, principal_id: principalId, group_id: null }))],
    actorId: tx.actor.id,
    now: tx.now(),
  })
  await storeMeanings(tx, spaceId, resolveRules(await listRulesToResolve(tx, spaceId)))
  await recordAuditEntry(tx, { action: 'space.rule_set', target, details: { prefix, principal: principalId, role } })
}

function toLists(guest: boolean, role: Role, inheritsWrite: boolean): RuleList[] {
  if (guest) return [role === 'editor' ? 'guest-write' : 'guest-read']
  return role === 'editor' && !inheritsWrite ? ['read', 'write'] : ['read']
}

function isReplaced(list: RuleList, guest: boolean): boolean {
  return guest ? list.startsWith('guest-') : list === 'read' || list === 'write'
}
