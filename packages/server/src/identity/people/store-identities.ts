import { sql } from 'kysely'
import { hasRows, queryRow, queryValue } from '../../platform/database/database.ts'
import type { Tx } from '../../platform/database/transaction.ts'

interface IdentityName {
  readonly issuer: string
  readonly subject: string
}

interface KeptIdentity {
  readonly principal_id: string
  /** The address that the provider had verified before. */
  readonly former: string | null
  /** What SCIM has of the person; null: nothing. */
  readonly state: 'kept' | 'deleted' | null
}

/** The identity, with the e-mail address that is verified now; undefined if nobody has signed in with it. */
export async function keepIdentity(
  tx: Pick<Tx, 'db'>,
  { issuer, subject }: IdentityName,
  email: string | undefined,
): Promise<KeptIdentity | undefined> {
  return queryRow<KeptIdentity>(tx.db)`
    with former as (select email from identity where issuer = ${issuer} and subject = ${subject} for update)
    update identity set email = coalesce(${email ?? null}, identity.email) from former
    where issuer = ${issuer} and subject = ${subject}
    returning principal_id, former.email as former, (select case when deleted_at is null then 'kept' else 'deleted' end
      from scim_user where scim_user.principal_id = identity.principal_id) as state`
}

/** The id of the person of SCIM with an address or one of these ids, who has no other identity of the provider. */
export async function findProvisioned(
  tx: Pick<Tx, 'db'>,
  person: IdentityName & { readonly email: string | undefined; readonly ids: readonly string[] },
): Promise<string | undefined> {
  const { issuer, subject, email = null, ids } = person
  return queryValue<string | undefined>(tx.db, undefined)`
    select principal.id from scim_user join principal on principal.id = scim_user.principal_id
    where scim_user.deleted_at is null
      and (principal.email = ${email} or (principal.role <> 'admin'
        and (lower(scim_user.user_name) = ${email} or scim_user.external_id = any(${ids}::text[]))))
      and not exists (select 1 from identity
        where identity.principal_id = principal.id and identity.issuer = ${issuer} and identity.subject <> ${subject})
    order by scim_user.external_id = any(${ids}::text[]) desc nulls last, principal.id limit 1`
}

/** The id of the account with an address that has no identity of a provider. */
export async function findUnlinked(
  tx: Pick<Tx, 'db'>,
  { email, issuer }: { readonly email: string; readonly issuer: string },
): Promise<string | undefined> {
  return queryValue<string | undefined>(tx.db, undefined)`
    select id from principal where email = ${email} and not exists (
    select 1 from identity where identity.principal_id = principal.id and identity.issuer = ${issuer})`
}

/** Whether an account, enabled or not, has the address. */
export async function isEmailTaken(tx: Pick<Tx, 'db'>, email: string): Promise<boolean> {
  return hasRows(tx.db)`select 1 from principal where email = ${email}`
}

/** Gives an identity to an account. */
export async function putIdentity(
  tx: Pick<Tx, 'db'>,
  identity: IdentityName & { readonly principalId: string; readonly email: string | undefined },
): Promise<void> {
  const { issuer, subject, principalId, email = null } = identity
  await sql`insert into identity (issuer, subject, principal_id, email, created_at)
    values (${issuer}, ${subject}, ${principalId}, ${email}, now())
    on conflict (issuer, subject) do update
    set principal_id = excluded.principal_id, email = excluded.email`.execute(tx.db)
}

/** Whether somebody who is no organisation admin had the link of the account: they may have used it. */
export async function wasInvitedByMember(tx: Pick<Tx, 'db'>, principalId: string): Promise<boolean> {
  return hasRows(tx.db)`select 1 from audit_entry created
    join audit_entry sent on sent.target_id = created.details->>'invitation' and sent.target_type = 'invitation'
      and sent.action in ('invitation.created', 'invitation.sent_again')
    join principal sender on sender.id = sent.actor_id and sender.role <> 'admin'
    where created.target_id = ${principalId} and created.action = 'principal.created' limit 1`
}

interface EndedRow {
  readonly id: string
  readonly name: string
}

/** Ends the keys, apps, password and passkeys of a person; returns the keys and the apps. */
export async function endOwnCredentials(
  tx: Pick<Tx, 'db'>,
  { principalId, now }: { readonly principalId: string; readonly now: Date },
): Promise<{ readonly keys: EndedRow[]; readonly apps: EndedRow[] }> {
  const keys = await sql<EndedRow>`update api_key set revoked_at = ${now}
    where principal_id = ${principalId} and revoked_at is null returning id, name`.execute(tx.db)
  const apps = await sql<EndedRow>`update app_connection set ended_at = ${now}
    where principal_id = ${principalId} and ended_at is null returning id, client_name as name`.execute(tx.db)
  await sql`delete from oauth_token where connection_id = any(${apps.rows.map(({ id }) => id)}::uuid[])`.execute(tx.db)
  await sql`delete from password where principal_id = ${principalId}`.execute(tx.db)
  await sql`delete from passkey where principal_id = ${principalId}`.execute(tx.db)
  return { keys: keys.rows, apps: apps.rows }
}
