import { AppError } from '@recto/contract/errors.ts'
import { isUuid, uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { Ctx } from '../../access/ctx.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import { recordAuditEntry } from '../principals/audit.ts'
import { orEmailTaken } from '../principals/email.ts'
import { ensureAdminRemains } from '../principals/last-admin.ts'
import { changePrincipal, insertPrincipal, lockPrincipal } from '../principals/principals.ts'
import { type PatchBody, parseOperations } from './patch.ts'
import * as protocol from './protocol.ts'
import { listResources } from './select-attributes.ts'
import { filterCondition } from './store-filter.ts'
import * as store from './store-users.ts'
import { parseUser, principalName, signInEmail, type UserInput } from './user-input.ts'
import { patchedUser } from './user-patch.ts'

/** The people that SCIM sees (RFC 7644, 3.4.2), the oldest first. */
async function listUsers(ctx: Ctx, query: protocol.ScimQuery): Promise<protocol.Json> {
  const condition = filterCondition(query.filter, store.USER_FILTERS)
  return listResources(query, {
    count: () => store.countUsers(ctx.db, condition),
    list: (window) => store.listUsers(ctx.db, { condition, ...window }),
    toResource: (row) => userResource(row, ctx.config.publicUrl),
  })
}

/** One person. */
async function readUser(ctx: Ctx, id: string): Promise<protocol.Resource> {
  const row = isUuid(id) ? await store.findUser(ctx.db, id) : undefined
  if (!row) throw noSuchUser()
  return userResource(row, ctx.config.publicUrl)
}

/** Creates a person, who signs in with OpenID Connect, or chooses a password by a link. */
async function createUser(ctx: Ctx, body: protocol.Json): Promise<protocol.Resource> {
  const input = parseUser(body)
  const id = uuid7()
  await orEmailTaken(() =>
    inTransaction(ctx, async (tx) => {
      if (tx.commitOutcomeUnknown && (await store.findUser(tx.db, id))) return
      const takenCount = await store.countUsers(tx.db, store.hasUserName(input.userName))
      if (takenCount > 0) throw store.userNameTaken()
      await insertUser(tx, id, input)
    }),
  )
  return readUser(ctx, id)
}

/** Replaces what is stored about a person; absent attributes are cleared, and `active` is kept (RFC 7644, 3.5.1). */
async function replaceUser(
  ctx: Ctx,
  id: string,
  { body, ifMatch }: protocol.Precondition & { readonly body: protocol.Json },
): Promise<protocol.Resource> {
  return changeUser(ctx, id, { ifMatch, change: () => parseUser(body) })
}

/** Applies a patch to a person (RFC 7644, 3.5.2). */
async function patchUser(
  ctx: Ctx,
  id: string,
  { body, ifMatch }: protocol.Precondition & { readonly body: PatchBody },
): Promise<protocol.Resource> {
  const operations = parseOperations(body)
  return changeUser(ctx, id, { ifMatch, change: (row) => parseUser(patchedUser(patchableUser(row), operations)) })
}

/**
 * Deletes a person for SCIM: the account is disabled permanently, without its e-mail address, and its pages stay. A
 * person who is created with this user name later is another one.
 */
async function deleteUser(ctx: Ctx, id: string, { ifMatch }: protocol.Precondition): Promise<void> {
  await inTransaction(ctx, (tx) =>
    ensureAdminRemains(tx, async () => {
      const lockedUser = await lockUser(tx, id)
      if (!lockedUser && tx.commitOutcomeUnknown) return
      if (!lockedUser) throw noSuchUser()
      protocol.requireMatch(ifMatch, userResource(lockedUser.row, ctx.config.publicUrl).meta.version)
      await changePrincipal(tx, lockedUser.principal, { disabled: true, email: null })
      await store.deleteUser(tx, { id, userName: lockedUser.row.user_name, now: ctx.now() })
    }),
  )
}

/** The use cases of `/Users`. */
export const users = {
  list: listUsers,
  read: readUser,
  create: createUser,
  replace: replaceUser,
  patch: patchUser,
  remove: deleteUser,
}

async function insertUser(tx: Ctx & Tx, id: string, input: UserInput): Promise<void> {
  const { userName, externalId, attributes, active = true } = input
  const now = tx.now()
  const name = principalName(input)
  const email = signInEmail(input)
  const newPrincipal = await insertPrincipal(tx, { id, name, kind: 'human', email, now })
  await store.putUser(tx, { id, userName, externalId, attributes, now })
  await recordAuditEntry(tx, {
    action: 'principal.created',
    target: { type: 'principal', id, name },
    details: { kind: 'human', role: newPrincipal.role, source: 'scim', ...(email !== null && { email }) },
  })
  if (!active) await changePrincipal(tx, newPrincipal, { disabled: true })
}

async function changeUser(
  ctx: Ctx,
  id: string,
  { ifMatch, change }: protocol.Precondition & { readonly change: (row: store.UserRow) => UserInput },
): Promise<protocol.Resource> {
  await orEmailTaken(() =>
    inTransaction(ctx, (tx) =>
      ensureAdminRemains(tx, async () => {
        const lockedUser = await lockUser(tx, id)
        if (!lockedUser) throw noSuchUser()
        protocol.requireMatch(ifMatch, userResource(lockedUser.row, ctx.config.publicUrl).meta.version)
        const input = change(lockedUser.row)
        await changePrincipal(tx, lockedUser.principal, {
          name: principalName(input),
          // An admin’s address is the way to a new password: only admins change it.
          ...(lockedUser.row.role !== 'admin' && { email: signInEmail(input) }),
          ...(input.active !== undefined && { disabled: !input.active }),
        })
        const { userName, externalId, attributes } = input
        await store.putUser(tx, { id, userName, externalId, attributes, now: ctx.now() })
      }),
    ),
  )
  return readUser(ctx, id)
}

async function lockUser(tx: Pick<Tx, 'db'>, id: string) {
  const principal = isUuid(id) ? await lockPrincipal(tx, id) : undefined
  const row = principal && (await store.findUser(tx.db, id))
  return principal && row && { principal, row }
}

function noSuchUser(): AppError {
  return new AppError('not_found', 'There is no person with this id.')
}

/** A person as SCIM sends it (RFC 7643, 4.1). */
function userResource(row: store.UserRow, publicUrl: string): protocol.Resource {
  const groups = row.groups.map(({ id, name }) => ({
    value: id,
    $ref: `${publicUrl}${protocol.SCIM_PATH}/Groups/${id}`,
    display: name,
    type: 'direct',
  }))
  const resource = {
    schemas: [protocol.USER_SCHEMA],
    id: row.id,
    ...(row.external_id !== null && { externalId: row.external_id }),
    ...storedUser(row),
    displayName: row.name,
    active: row.active,
    ...(groups.length > 0 && { groups }),
  }
  return protocol.withVersion(resource, protocol.buildMeta('User', row, publicUrl))
}

/** The attributes of a person that a patch changes. */
function patchableUser(row: store.UserRow): protocol.Json {
  return { ...(row.external_id !== null && { externalId: row.external_id }), ...storedUser(row), active: row.active }
}

/** Somebody whom nobody has provisioned yet has the e-mail address of the account. */
function storedUser({ user_name, attributes, name }: store.UserRow): protocol.Json {
  const { displayName, ...others } = attributes ?? {
    displayName: name,
    emails: [{ value: user_name, type: 'work', primary: true }],
  }
  return { userName: user_name, ...others, ...(displayName !== undefined && { displayName }) }
}
