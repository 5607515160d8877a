import { type RawBuilder, sql } from 'kysely'
import type { Static } from 'typebox'
import type { Caller } from '../../access/caller.ts'
import { toAccessSubject, visibleSpaces } from '../../access/visibility.ts'
import { andAfter, type Keyset } from '../../platform/database/conditions.ts'
import { type Db, hasRows, queryRows, read } from '../../platform/database/database.ts'
import type { RowFor } from '../../platform/database/rows.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import type { connectionSchema } from './schema.ts'
import type { Audience, OauthScope } from './scopes.ts'

/** A connection as the authorization server reads it: the grant of its tokens. */
export interface GrantRow {
  readonly principal_id: string
  readonly client_id: string
  readonly audience: Audience
  readonly scopes: OauthScope[]
  readonly created_at: Date
  readonly expires_at: Date
}

export type ConnectionRow = RowFor<Static<typeof connectionSchema>>

export interface NewConnection {
  readonly id: string
  readonly principalId: string
  readonly clientId: string
  readonly clientName: string
  readonly redirectUri: string
  readonly audience: Audience
  readonly scopes: readonly OauthScope[]
  readonly requestedScopes: readonly OauthScope[]
  readonly spaceIds: readonly number[] | null
  readonly personal: boolean
  readonly now: Date
  readonly expiresAt: Date
}

const LIVE = sql<boolean>`connection.ended_at is null and connection.expires_at > now()`

/** The connection, while it has not ended and its person is not disabled. */
export const findGrant = read(
  'find_grant',
  (args: { id: string }) => sql<GrantRow>`
    select connection.principal_id, connection.client_id, connection.audience, connection.scopes, connection.created_at,
      connection.expires_at
    from app_connection connection join principal on principal.id = connection.principal_id
    where connection.id = ${args.id}::uuid and ${LIVE} and principal.disabled_at is null`,
)

/** Whether somebody is connected to the client. */
export async function isConnected(db: Db, clientId: string): Promise<boolean> {
  return hasRows(db)`
    select 1 from app_connection connection
    where connection.client_id = ${clientId} and ${LIVE} limit 1`
}

/** Connections with the names of those of their spaces that the caller can read. */
function connections(actor: Caller): RawBuilder<unknown> {
  return sql`
    select connection.id, json_build_object('id', connection.client_id, 'name', connection.client_name, 'redirectUri',
      connection.redirect_uri) as app,
      connection.audience, connection.scopes, connection.created_at, connection.last_used_at, connection.expires_at,
      case when connection.space_ids is not null then array(
        select coalesce(space.slug, 'personal') from space
        where space.id = any(connection.space_ids) and space.id in ${visibleSpaces(toAccessSubject(actor))} order by 1)
        end as spaces
    from app_connection connection where connection.principal_id = ${actor.id} and ${LIVE}`
}

/** The live connections of the caller, in the order of creation (index `app_connection_principal`). */
export async function listConnections(
  db: Db,
  actor: Caller,
  window: Keyset & { readonly only: string | null | undefined },
): Promise<ConnectionRow[]> {
  return queryRows<ConnectionRow>(db)`${connections(actor)}
    ${window.only === undefined ? sql`` : sql`and connection.id = ${window.only}`}
      ${andAfter(sql`connection.id`, window)}
    order by connection.id limit ${window.limit}`
}

/** Inserts a connection; false if an earlier attempt of the same transaction did. */
export async function insertConnection(tx: Pick<Tx, 'db'>, connection: NewConnection): Promise<boolean> {
  return hasRows(tx.db)`
    insert into app_connection (id, principal_id, client_id, client_name, redirect_uri, audience, scopes,
      requested_scopes,
      space_ids, personal, created_at, expires_at)
    values (${connection.id}, ${connection.principalId}, ${connection.clientId}, ${connection.clientName},
      ${connection.redirectUri}, ${connection.audience}, ${connection.scopes}::text[],
      ${connection.requestedScopes}::text[],
      ${connection.spaceIds}::bigint[], ${connection.personal}, ${connection.now}, ${connection.expiresAt})
    on conflict (id) do nothing returning 1`
}

/** Keeps a registered client permanently: a person has connected it. */
export async function keepClient(
  tx: Pick<Tx, 'db'>,
  client: { readonly id: string; readonly now: Date; readonly expiresAt: Date },
): Promise<void> {
  await sql`update oauth_client set used_at = coalesce(used_at, ${client.now}),
    expires_at = greatest(expires_at, ${client.expiresAt})
    where id = ${client.id}`.execute(tx.db)
}

interface EndedRow {
  readonly id: string
  readonly client_name: string
  readonly principal_id: string
}

/** Ends a live connection, of one principal if `principalId` is present, and deletes its tokens. */
export async function endConnectionRow(
  tx: Pick<Tx, 'db'>,
  connection: { readonly id: string; readonly principalId?: string; readonly now: Date },
): Promise<EndedRow | undefined> {
  const { id, principalId, now } = connection
  const rows = await queryRows<EndedRow>(tx.db)`
    update app_connection connection set ended_at = ${now}
    where connection.id = ${id} and ${LIVE}
      ${principalId === undefined ? sql`` : sql`and connection.principal_id = ${principalId}`}
    returning connection.id, connection.client_name, connection.principal_id`
  await sql`delete from oauth_token where connection_id = ${id}`.execute(tx.db)
  return rows[0]
}
