import { AppError } from '@recto/contract/errors.ts'
import { type RawBuilder, sql } from 'kysely'
import type { OrgRole } from '../../access/caller.ts'
import { brokenConstraint } from '../../platform/database/availability/failure.ts'
import { type Db, queryRow, queryRows, queryValue } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import { normalizedEmail } from '../principals/email.ts'
import type { Filterable } from './store-filter.ts'
import type { UserAttributes } from './user-input.ts'

/** A person that SCIM sees: it keeps them, or they sign in with an e-mail address. */
export interface UserRow {
  readonly id: string
  readonly name: string
  readonly role: OrgRole
  readonly email: string | null
  readonly active: boolean
  readonly user_name: string
  readonly external_id: string | null
  /** Null: nobody has provisioned the person yet. */
  readonly attributes: UserAttributes | null
  readonly groups: readonly { readonly id: string; readonly name: string }[]
  readonly created_at: Date
  readonly updated_at: Date
}

const FROM = sql`principal left join scim_user scim on scim.principal_id = principal.id
    left join lateral (select identity.email from identity
      where identity.principal_id = principal.id and identity.email is not null order by identity.created_at limit 1
    ) oidc on scim.principal_id is null and principal.email is null
  where principal.kind = 'human' and scim.deleted_at is null
    and (scim.principal_id is not null or principal.email is not null or oidc.email is not null)`

const USER_NAME = sql<string>`coalesce(scim.user_name, principal.email, oidc.email)`
const EMAILS = sql`jsonb_to_recordset(case
  when scim.principal_id is not null then coalesce(scim.attributes->'emails', '[]')
    else jsonb_build_array(jsonb_build_object('value', ${USER_NAME}, 'type', 'work', 'primary', true)) end)
  as email (value text, type text, display text, "primary" boolean)`
const nameMember = (member: string) => sql`scim.attributes->'name'->>${sql.lit(member)}`

/** The attributes of people in filters. `userName` has the indexes of each of its sources. */
export const USER_FILTERS: Filterable = {
  columns: {
    id: { type: 'exact', value: sql`principal.id` },
    username: { type: 'text', value: USER_NAME, equals: hasUserName, startsWith: userNameStartsWith },
    externalid: { type: 'exact', value: sql`scim.external_id`, equals: hasExternalId },
    displayname: {
      type: 'text',
      value: sql`principal.name`,
      equals: (name) => isNamed(sql`lower(found.name) collate "C" = lower(${name}::text)`),
      startsWith: (prefix) => isNamed(startsWith(sql`lower(found.name)`, prefix)),
    },
    active: { type: 'boolean', value: sql`(principal.disabled_at is null)` },
    'name.formatted': { type: 'text', value: nameMember('formatted') },
    'name.givenname': { type: 'text', value: nameMember('givenName') },
    'name.familyname': { type: 'text', value: nameMember('familyName') },
    'meta.created': { type: 'time', value: sql`principal.created_at` },
    'meta.lastmodified': { type: 'time', value: sql`coalesce(scim.updated_at, principal.created_at)` },
  },
  lists: {
    emails: {
      rows: EMAILS,
      withValue: hasEmail,
      columns: {
        value: { type: 'text', value: sql`email.value` },
        type: { type: 'text', value: sql`email.type` },
        display: { type: 'text', value: sql`email.display` },
        primary: { type: 'boolean', value: sql`coalesce(email."primary", false)` },
      },
    },
  },
}

/** The condition for the person with a user name. */
export function hasUserName(name: string): RawBuilder<boolean> {
  const email = normalizedEmail(name)
  return sql<boolean>`(lower(${USER_NAME}) = lower(${name}) and principal.id = any(array(
    select scim_user.principal_id from scim_user where lower(scim_user.user_name) = lower(${name})
      and scim_user.deleted_at is null
    union all select found.id from principal found where found.email = ${email}
    union all select identity.principal_id from identity where identity.email = ${email})))`
}

/** The condition for the people whose user name starts with a text (the indexes `*_prefix`). */
function userNameStartsWith(prefix: string): RawBuilder<boolean> {
  return sql<boolean>`(${startsWith(sql`lower(${USER_NAME})`, prefix)} and principal.id = any(array(
    select scim_user.principal_id from scim_user
    where ${startsWith(sql`lower(scim_user.user_name)`, prefix)} and scim_user.deleted_at is null
    union all select found.id from principal found where ${startsWith(sql`found.email`, prefix)}
    union all select identity.principal_id from identity where ${startsWith(sql`identity.email`, prefix)})))`
}

/** The condition for the people whose name meets a condition (index `principal_name`): the plan begins with them. */
function isNamed(condition: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`principal.id = any(array(
    select found.id from principal found where found.kind = 'human' and ${condition}))`
}

/** PostgreSQL takes an index for `starts_with` only with the collation "C". */
function startsWith(value: RawBuilder<unknown>, prefix: string): RawBuilder<unknown> {
  return sql`starts_with(${value} collate "C", lower(${prefix}::text))`
}

/** The condition for the people with an e-mail address (index `scim_user_emails`), or who sign in with it. */
function hasEmail(address: string): RawBuilder<boolean> {
  const email = normalizedEmail(address)
  return sql<boolean>`principal.id = any(array(
    select scim_user.principal_id from scim_user
      where (lower(jsonb_path_query_array(scim_user.attributes, '$.emails[*].value')::text)::jsonb)
        @> jsonb_build_array(lower(${address}::text)) and scim_user.deleted_at is null
    union all select found.id from principal found where found.email = ${email}
    union all select identity.principal_id from identity where identity.email = ${email}))`
}

function hasExternalId(id: string): RawBuilder<boolean> {
  return sql<boolean>`principal.id = any(array(
    select scim_user.principal_id from scim_user where scim_user.external_id = ${id} and scim_user.deleted_at is null))`
}

const SELECT = sql`select principal.id, principal.name, principal.role, principal.email,
  principal.disabled_at is null as active,
    ${USER_NAME} as user_name, scim.external_id, scim.attributes, principal.created_at,
    coalesce(scim.updated_at, principal.created_at) as updated_at,
    array(select json_build_object('id', principal_group.id, 'name', principal_group.name)
      from group_member member join principal_group on principal_group.id = member.group_id
      where member.principal_id = principal.id and principal_group.managed_by = 'scim'
        order by principal_group.id) as groups
  from ${FROM}`

interface Page {
  readonly condition: RawBuilder<boolean>
  readonly offset: number
  readonly limit: number
}

/** People in the order of their creation. */
export async function listUsers(db: Db, { condition, offset, limit }: Page): Promise<UserRow[]> {
  return queryRows<UserRow>(db)`${SELECT} and ${condition}
    order by principal.id limit ${limit} offset ${offset}`
}

export async function countUsers(db: Db, condition: RawBuilder<boolean>): Promise<number> {
  return queryValue(db, 0)`
    select count(*)::int as count from ${FROM} and ${condition}`
}

export async function findUser(db: Db, id: string): Promise<UserRow | undefined> {
  return queryRow<UserRow>(db)`${SELECT} and principal.id = ${id}`
}

/** The ids of these that are people whom SCIM sees. */
export async function knownUsers(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await queryRows<{ id: string }>(
    db,
  )`select principal.id from ${FROM} and principal.id = any(${ids}::uuid[])`
  return new Set(rows.map(({ id }) => id))
}

/** Stores what the provider keeps about a person; throws `user_name_taken`. */
export async function putUser(
  tx: Pick<Tx, 'db'>,
  user: {
    readonly id: string
    readonly userName: string
    readonly externalId: string | undefined
    readonly attributes: UserAttributes
    readonly now: Date
  },
): Promise<void> {
  try {
    await sql`insert into scim_user (principal_id, user_name, external_id, attributes, created_at, updated_at)
      values (${user.id}, ${user.userName}, ${user.externalId ?? null}, ${JSON.stringify(user.attributes)}::jsonb,
        ${user.now}, ${user.now})
      on conflict (principal_id) do update set user_name = excluded.user_name, external_id = excluded.external_id,
        attributes = excluded.attributes, updated_at = excluded.updated_at`.execute(tx.db)
  } catch (error) {
    if (brokenConstraint(error) !== 'scim_user_name') throw error
    throw userNameTaken()
  }
}

/** Hides a person from SCIM, and frees the user name; removes them from the groups of the provider. */
export async function deleteUser(
  tx: Pick<Tx, 'db'>,
  user: { readonly id: string; readonly userName: string; readonly now: Date },
): Promise<void> {
  await sql`insert into scim_user (principal_id, user_name, attributes, created_at, updated_at, deleted_at)
    values (${user.id}, ${user.userName}, '{}', ${user.now}, ${user.now}, ${user.now})
    on conflict (principal_id) do update set deleted_at = excluded.deleted_at`.execute(tx.db)
  await sql`delete from group_member using principal_group
    where group_member.principal_id = ${user.id} and principal_group.id = group_member.group_id
      and principal_group.managed_by = 'scim'`.execute(tx.db)
}

export function userNameTaken(): AppError {
  return new AppError('user_name_taken', 'Another person has this userName.')
}
