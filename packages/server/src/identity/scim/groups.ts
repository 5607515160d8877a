import { AppError } from '@recto/contract/errors.ts'
import { isUuid, uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { Actor } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import { groupTarget } from '../groups/groups.ts'
import * as groupStore from '../groups/store.ts'
import { type AuditAction, recordAuditEntries, recordAuditEntry } from '../principals/audit.ts'
import { type GroupInput, type MemberChange, parseGroup, patchedGroup } from './group-input.ts'
import { type PatchBody, parseOperations } from './patch.ts'
import * as protocol from './protocol.ts'
import { isSelected, listResources } from './select-attributes.ts'
import { filterCondition } from './store-filter.ts'
import * as store from './store-groups.ts'
import { knownUsers } from './store-users.ts'

type GroupChange = GroupInput & { readonly members: MemberChange }

/** The groups that the provider keeps; those that admins made are none of its business. */
async function listGroups(ctx: Ctx, query: protocol.ScimQuery): Promise<protocol.Json> {
  const condition = filterCondition(query.filter, store.GROUP_FILTERS)
  const withMembers = isSelected(query, 'members')
  return listResources(query, {
    count: () => store.countGroups(ctx.db, condition),
    list: (window) => store.listGroups(ctx.db, { condition, withMembers, ...window }),
    toResource: (row) => groupResource(row, ctx),
  })
}

async function readGroup(ctx: Ctx, id: string, query: protocol.ScimQuery = {}): Promise<protocol.Resource> {
  return groupResource(await requireGroup(ctx, id, isSelected(query, 'members')), ctx)
}

/** Creates a group; throws `group_name_taken`. */
async function createGroup(ctx: Ctx, body: protocol.Json): Promise<protocol.Resource> {
  const { displayName: name, externalId = null, members } = parseGroup(body)
  const group = { id: uuid7(), name, externalId, description: '', managedBy: 'scim', now: ctx.now() } as const
  await inTransaction(ctx, async (tx) => {
    if (tx.commitOutcomeUnknown && (await store.findGroup(tx.db, group.id, false))) return
    await groupStore.insertGroup(tx, group)
    const details = { source: 'scim' }
    await recordAuditEntry(tx, { action: 'group.created', target: groupTarget(group), details })
    await applyMembers(tx, group, members)
  })
  return readGroup(ctx, group.id)
}

/** Replaces a group and its members. */
async function replaceGroup(
  ctx: Ctx,
  id: string,
  { body, ifMatch }: protocol.Precondition & { readonly body: protocol.Json },
): Promise<protocol.Resource> {
  const change = parseGroup(body)
  await changeGroup(ctx, id, { ifMatch, change: () => change })
  return readGroup(ctx, id)
}

/** Applies a patch to a group; returns it only if the request selects attributes of it (RFC 7644, 3.5.2). */
async function patchGroup(
  ctx: Ctx,
  id: string,
  { body, ifMatch }: protocol.Precondition & { readonly body: PatchBody },
  query: protocol.ScimQuery,
): Promise<protocol.Resource | undefined> {
  const operations = parseOperations(body)
  await changeGroup(ctx, id, { ifMatch, change: (before) => patchedGroup(before, operations) })
  return query.attributes === undefined ? undefined : readGroup(ctx, id, query)
}

/** Deletes a group; its members lose the roles that it gave them. */
async function deleteGroup(ctx: Ctx, id: string, { ifMatch }: protocol.Precondition): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const before = await lockGroup(tx, id)
    if (!before && tx.commitOutcomeUnknown) return
    if (!before) throw noSuchGroup()
    protocol.requireMatch(ifMatch, groupResource(before, tx).meta.version)
    await groupStore.deleteGroup(tx, id)
    const details = { source: 'scim' }
    await recordAuditEntry(tx, { action: 'group.deleted', target: groupTarget(before), details })
  })
}

/** The use cases of `/Groups`. */
export const groups = {
  list: listGroups,
  read: readGroup,
  create: createGroup,
  replace: replaceGroup,
  patch: patchGroup,
  remove: deleteGroup,
}

async function changeGroup(
  ctx: Ctx,
  id: string,
  { ifMatch, change }: protocol.Precondition & { readonly change: (before: GroupInput) => GroupChange },
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const before = await lockGroup(tx, id)
    if (!before) throw noSuchGroup()
    protocol.requireMatch(ifMatch, groupResource(before, tx).meta.version)
    const own = { displayName: before.name, externalId: before.external_id ?? undefined }
    const { displayName: name, externalId, members } = change(own)
    const group = { id, name, externalId, now: ctx.now() }
    const changes = await applyMembers(tx, group, members)
    if (changes === 0 && name === own.displayName && externalId === own.externalId) return
    await groupStore.orNameTaken(() => store.updateGroup(tx, group))
    if (name === own.displayName) return
    const details = { name: { from: own.displayName, to: name }, source: 'scim' }
    await recordAuditEntry(tx, { action: 'group.updated', target: groupTarget(group), details })
  })
}

/** Returns the number of changed memberships. */
async function applyMembers(
  tx: Omit<Ctx, 'db'> & Tx,
  group: { readonly id: string; readonly name: string; readonly now: Date },
  { replaces, add, remove }: MemberChange,
): Promise<number> {
  const wantedIds = [...add]
  const knownIds = await knownUsers(tx.db, wantedIds)
  const unknownId = wantedIds.find((id) => !knownIds.has(id))
  if (unknownId) throw protocol.scimError('invalidValue', `There is no person with the id ${unknownId}.`)
  const removedActors = await store.removeMembers(
    tx,
    replaces
      ? { id: group.id, members: wantedIds, which: 'others' }
      : { id: group.id, members: [...remove], which: 'these' },
  )
  const addedActors = await store.addMembers(tx, { ...group, members: wantedIds })
  const target = groupTarget(group)
  const entry = (action: AuditAction) => (principal: Actor) => ({
    action,
    target,
    details: { principal, source: 'scim' },
  })
  await recordAuditEntries(tx, [
    ...removedActors.map(entry('group.member_removed')),
    ...addedActors.map(entry('group.member_added')),
  ])
  return removedActors.length + addedActors.length
}

async function requireGroup({ db }: Pick<Ctx, 'db'>, id: string, withMembers: boolean) {
  const row = isUuid(id) ? await store.findGroup(db, id, withMembers) : undefined
  if (!row) throw noSuchGroup()
  return row
}

async function lockGroup(tx: Pick<Tx, 'db'>, id: string): Promise<store.GroupRow | undefined> {
  const group = isUuid(id) ? await groupStore.lockGroup(tx, id) : undefined
  return group && (await store.findGroup(tx.db, id, false))
}

function groupResource(row: store.GroupRow, { config }: Pick<Ctx, 'config'>): protocol.Resource {
  const members = row.members?.map(({ id, name }) => ({
    value: id,
    $ref: `${config.publicUrl}${protocol.SCIM_PATH}/Users/${id}`,
    display: name,
    type: 'User',
  }))
  const resource = {
    schemas: [protocol.GROUP_SCHEMA],
    id: row.id,
    ...(row.external_id !== null && { externalId: row.external_id }),
    displayName: row.name,
    ...(members && { members }),
  }
  const content = [row.id, row.name, row.external_id, row.member_count, row.updated_at]
  return protocol.withVersion(resource, protocol.buildMeta('Group', row, config.publicUrl), content)
}

function noSuchGroup(): AppError {
  return new AppError('not_found', 'There is no SCIM group with this id.')
}
