import { sql } from 'kysely'
import type { Static } from 'typebox'
import { andAfter, type Keyset } from '../../../platform/database/conditions.ts'
import { type Db, hasRows, queryRow, queryRows, queryValue } from '../../../platform/database/database.ts'
import type { RowFor } from '../../../platform/database/rows.ts'
import type { Tx } from '../../../platform/database/transaction.ts'
import type { passkeySchema } from '../schema.ts'
import { CHALLENGE_SECONDS } from './challenges.ts'

type PasskeyRow = RowFor<Static<typeof passkeySchema>>

/** A passkey of an enabled principal, with what the verification of signatures needs. */
export interface PasskeyCredential {
  readonly id: string
  readonly name: string
  readonly principal_id: string
  readonly public_key: Buffer
  readonly counter: number
}

export interface NewPasskey {
  readonly id: string
  readonly principalId: string
  readonly credentialId: Buffer
  readonly publicKey: Buffer
  readonly counter: number
  readonly transports: readonly string[]
  readonly name: string
  readonly now: Date
}

/** The passkeys of a principal, the oldest first (index `passkey_principal`). */
export async function listPasskeys(db: Db, window: Keyset & { readonly principalId: string }): Promise<PasskeyRow[]> {
  return queryRows<PasskeyRow>(db)`
    select id, name, created_at, last_used_at from passkey
    where principal_id = ${window.principalId} ${andAfter(sql`id`, window)}
    order by id limit ${window.limit}`
}

/** The credential ids of a principal: an authenticator has one passkey for each account. */
export async function listCredentials(db: Db, principalId: string) {
  return queryRows<{ credential_id: Buffer; transports: string[] }>(db)`
    select credential_id, transports from passkey where principal_id = ${principalId}`
}

export async function findCredential(db: Db, credentialId: Buffer): Promise<PasskeyCredential | undefined> {
  return queryRow<PasskeyCredential>(db)`
    select passkey.id, passkey.name, passkey.principal_id, passkey.public_key, passkey.counter
    from passkey join principal on principal.id = passkey.principal_id
    where passkey.credential_id = ${credentialId} and principal.disabled_at is null`
}

/** Adds a passkey; false if there is one with this credential id. */
export async function insertPasskey(tx: Pick<Tx, 'db'>, newPasskey: NewPasskey): Promise<boolean> {
  return hasRows(tx.db)`
    insert into passkey (id, principal_id, credential_id, public_key, counter, transports, name, created_at)
    values (${newPasskey.id}, ${newPasskey.principalId}, ${newPasskey.credentialId}, ${newPasskey.publicKey},
      ${newPasskey.counter},
      ${newPasskey.transports}::text[], ${newPasskey.name}, ${newPasskey.now})
    on conflict (credential_id) do nothing returning 1`
}

/** Records a sign-in; false if its counter is not greater than the last one, which indicates a copied key. */
export async function usePasskey(
  tx: Pick<Tx, 'db'>,
  usedPasskey: { readonly id: string; readonly counter: number; readonly now: Date },
): Promise<boolean> {
  return hasRows(tx.db)`
    update passkey set counter = ${usedPasskey.counter}, last_used_at = ${usedPasskey.now}
    where id = ${usedPasskey.id} and (counter < ${usedPasskey.counter}
      or (counter = 0 and ${usedPasskey.counter}::bigint = 0))
    returning 1`
}

/** Renames a passkey of a principal; undefined if there is none. */
export async function renamePasskey(
  tx: Pick<Tx, 'db'>,
  passkey: { readonly id: string; readonly principalId: string; readonly name: string },
): Promise<PasskeyRow | undefined> {
  return queryRow<PasskeyRow>(tx.db)`
    update passkey set name = ${passkey.name} where id = ${passkey.id} and principal_id = ${passkey.principalId}
    returning id, name, created_at, last_used_at`
}

/** Deletes a passkey of a principal and returns its name; undefined if there is none. */
export async function deletePasskey(
  tx: Pick<Tx, 'db'>,
  { id, principalId }: { readonly id: string; readonly principalId: string },
): Promise<string | undefined> {
  return queryValue<string | undefined>(tx.db, undefined)`
    delete from passkey where id = ${id} and principal_id = ${principalId} returning name`
}

/** Consumes a challenge; false if it was used before. Expired challenges are deleted here. */
export async function takeChallenge(tx: Pick<Tx, 'db'>, challenge: string): Promise<boolean> {
  await sql`delete from used_challenge where expires_at < now()`.execute(tx.db)
  return hasRows(tx.db)`
    insert into used_challenge (challenge, expires_at)
    values (${Buffer.from(challenge, 'base64url')}, now() + make_interval(secs => ${2 * CHALLENGE_SECONDS}))
    on conflict do nothing returning 1`
}
