import { sql } from 'kysely'
import { type Db, hasRows, queryValue, read, type WriteDb, write } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import type { OauthScope } from './scopes.ts'

/** The tokens of a connection. */
export type TokenKind = 'AuthorizationCode' | 'AccessToken' | 'RefreshToken'

export interface NewToken {
  readonly hash: Buffer
  readonly kind: TokenKind
  readonly connectionId: string
  readonly scopes: readonly OauthScope[]
  readonly payload: string
  readonly expiresAt: Date
}

/** Inserts a token; no row: its connection has ended. With an access token the connection counts as used. */
export const insertToken = write(
  'insert_oauth_token',
  (args: NewToken) => sql<{ readonly connection_id: string }>`
    with live as (
      update app_connection set expires_at = greatest(expires_at, ${args.expiresAt}::timestamptz),
        last_used_at = case when ${args.kind}::text = 'AccessToken' then coalesce(last_used_at, now())
          else last_used_at end
      where id = ${args.connectionId}::uuid and ended_at is null returning id, client_id
    ), kept as (
      update oauth_client set expires_at = greatest(oauth_client.expires_at, ${args.expiresAt}::timestamptz)
      from live where oauth_client.id = live.client_id
    )
    insert into oauth_token (hash, kind, connection_id, scopes, payload, expires_at)
    select ${args.hash}::bytea, ${args.kind}::text, live.id, ${args.scopes}::text[], ${args.payload}::text,
      ${args.expiresAt}::timestamptz
    from live returning connection_id`,
)

export const findToken = read(
  'find_oauth_token',
  (args: { hash: Buffer; kind: TokenKind }) => sql<{ readonly payload: string; readonly consumed_at: Date | null }>`
    select payload, consumed_at from oauth_token where hash = ${args.hash} and kind = ${args.kind}`,
)

/** Consumes a code or a refresh token: of concurrent requests one succeeds. */
export async function consumeToken(db: WriteDb, hash: Buffer): Promise<boolean> {
  return hasRows(db)`
    update oauth_token set consumed_at = now()
    where hash = ${hash} and consumed_at is null returning 1`
}

export async function deleteToken(db: WriteDb, hash: Buffer): Promise<void> {
  await sql`delete from oauth_token where hash = ${hash}`.execute(db)
}

export async function putInteraction(
  db: WriteDb,
  interaction: { readonly hash: Buffer; readonly payload: string; readonly expiresAt: Date },
): Promise<void> {
  const { hash, payload, expiresAt } = interaction
  await sql`insert into oauth_interaction (hash, payload, expires_at) values (${hash}, ${payload}, ${expiresAt})
    on conflict (hash) do update set payload = excluded.payload, expires_at = excluded.expires_at`.execute(db)
}

export async function findInteraction(db: Db, hash: Buffer): Promise<string | undefined> {
  return queryValue<string | undefined>(db, undefined)`
    select payload from oauth_interaction where hash = ${hash} and expires_at > now()`
}

export async function deleteInteraction(db: WriteDb, hash: Buffer): Promise<void> {
  await sql`delete from oauth_interaction where hash = ${hash}`.execute(db)
}

/** The metadata of a client that registered itself. */
export async function findClient(db: Db, id: string): Promise<string | undefined> {
  return queryValue<string | undefined>(db, undefined)`
    select metadata from oauth_client where id = ${id} and expires_at > now()`
}

/** Adds a client, and deletes the oldest ones that nobody has connected beyond `max`. */
export async function insertClient(
  tx: Pick<Tx, 'db'>,
  client: {
    readonly id: string
    readonly metadata: string
    readonly now: Date
    readonly expiresAt: Date
    readonly max: number
  },
): Promise<void> {
  await sql`insert into oauth_client (id, metadata, created_at, expires_at)
    values (${client.id}, ${client.metadata}, ${client.now}, ${client.expiresAt})
    on conflict (id) do nothing`.execute(tx.db)
  await sql`delete from oauth_client where id in (
    select id from oauth_client
    where used_at is null order by created_at desc offset ${client.max})`.execute(tx.db)
}

/** Deletes a batch of expired rows. Connections that were used are kept: revisions and events refer to them. */
export async function deleteExpiredArtifacts(db: WriteDb, now: Date, limit: number): Promise<number> {
  return queryValue(db, 0)`
    with tokens as (
      delete from oauth_token where hash in (select hash from oauth_token where expires_at < ${now} limit ${limit})
      returning 1
    ), interactions as (
      delete from oauth_interaction
      where hash in (select hash from oauth_interaction where expires_at < ${now} limit ${limit}) returning 1
    ), clients as (
      delete from oauth_client where id in (select id from oauth_client where expires_at < ${now} limit ${limit})
      returning 1
    ), connections as (
      delete from app_connection where id in (
        select id from app_connection where expires_at < ${now} and last_used_at is null limit ${limit}) returning 1
    )
    select (select count(*) from tokens)::int + (select count(*) from interactions)::int
      + (select count(*) from clients)::int + (select count(*) from connections)::int as count`
}
