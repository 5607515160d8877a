import { inputError } from '@recto/contract/errors.ts'
import { checkNewPath, parsePagePath } from '@recto/contract/page-address.ts'
import type { Role } from '../../../access/caller.ts'
import type { Ctx } from '../../../access/ctx.ts'
import type { JoinFolders } from '../../../identity/people/accept.ts'
import { lockInvitedFolders } from '../../../identity/people/store-invitations.ts'
import { type AuditedTx, type NewAuditTarget, recordAuditEntry } from '../../../identity/principals/audit.ts'
import type { Tx } from '../../../platform/database/transaction.ts'
import { type RuleList, type RuleRow, resolveRules } from './resolve.ts'
import { MAX_RULES, requireRoom } from './rules.ts'
import { MAX_LISTED } from './schema.ts'
import { countRules, findRule, listRulesToResolve, putRule, storeMeanings } from './store-rules.ts'

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
  { folder, ...grant }: FolderGrant,
): Promise<void> {
  const { spaceId } = target
  const prefix = parsePagePath(folder)
  checkNewPath(prefix)
  const { principalId, role } = grant
  if (role === 'admin') throw inputError('invalid_request', 'A folder has no admins.', '/role', 'is impossible here')
  const rule = await findRule(tx.db, spaceId, prefix)
  if (!takesReader(rule, grant.guest)) {
    const detail =
      `The folder \`${prefix}\` has no list of readers of its own, to which somebody who is no guest ` +
      `could be added.`
    throw inputError('invalid_request', detail, '/folder', 'has no list of readers')
  }
  if (!rule) await requireRoom(tx, spaceId)
  if (!(await addToRule(tx, spaceId, rule, { ...grant, folder: prefix }))) {
    const detail = `The rule of the folder \`${prefix}\` names ${MAX_LISTED} already, the most that it can.`
    throw inputError('invalid_request', detail, '/folder', 'has no room')
  }
  await recordAuditEntry(tx, { action: 'space.rule_set', target, details: { prefix, principal: principalId, role } })
}

/**
 * Gives an account the folders of an invitation that was taken, in the name of the inviter, by the rules as they are
 * now. What cannot be given is left out: who accepts cannot mend it. Whoever is on a list already keeps that right.
 */
export const joinFolders: JoinFolders = async (tx, invitation, { id: principalId, guest }) => {
  const by = { ...tx, actor: invitation.invited_by }
  for (const { id: spaceId, slug, name, folder, role } of await lockInvitedFolders(tx, invitation)) {
    const rule = await findRule(tx.db, spaceId, folder)
    const isListed = rule?.entries.some((entry) => entry.principal_id === principalId && isReplaced(entry.list, guest))
    if (isListed || !takesReader(rule, guest)) continue
    if (!rule && (await countRules(tx.db, spaceId)) >= MAX_RULES) continue
    if (!(await addToRule(by, spaceId, rule, { folder, principalId, guest, role }))) continue
    const details = { prefix: folder, principal: principalId, role, invitation: invitation.id }
    const target = { type: 'space', spaceId, id: slug, name } as const
    await recordAuditEntry(by, { action: 'space.rule_set', target, details })
  }
}

/** Whether a guest, or somebody else, can be added to the rule of a folder; undefined: it has none. */
function takesReader(rule: RuleRow | undefined, guest: boolean): boolean {
  return guest || rule?.inherits_read === false
}

/** Adds a principal to a rule of a locked space; false: one of its lists is full, and nothing is changed. */
async function addToRule(
  tx: Pick<AuditedTx, 'db' | 'now' | 'actor'>,
  spaceId: number,
  rule: RuleRow | undefined,
  { folder: prefix, principalId, guest, role }: FolderGrant,
): Promise<boolean> {
  const { entries = [], inherits_read: inheritsRead = true, inherits_write: inheritsWrite = true } = rule ?? {}
  const otherEntries = entries.filter(
    ({ list, principal_id }) => principal_id !== principalId || !isReplaced(list, guest),
  )
  const lists = toLists(guest, role, inheritsWrite)
  const countListed = (list: RuleList) =>
    otherEntries.filter((entry) => (guest ? isReplaced(entry.list, guest) : entry.list === list)).length
  if (lists.some((list) => countListed(list) >= MAX_LISTED)) return false
  await putRule(tx, {
    ...{ spaceId, prefix, inheritsRead, inheritsWrite },
    entries: [...otherEntries, ...lists.map((list) => ({ list, principal_id: principalId, group_id: null }))],
    actorId: tx.actor.id,
    now: tx.now(),
  })
  await storeMeanings(tx, spaceId, resolveRules(await listRulesToResolve(tx, spaceId)))
  return true
}

function toLists(guest: boolean, role: Role, inheritsWrite: boolean): RuleList[] {
  if (guest) return [role === 'editor' ? 'guest-write' : 'guest-read']
  return role === 'editor' && !inheritsWrite ? ['read', 'write'] : ['read']
}

function isReplaced(list: RuleList, guest: boolean): boolean {
  return guest ? list.startsWith('guest-') : list === 'read' || list === 'write'
}
