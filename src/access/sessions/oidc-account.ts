import { sql } from 'kysely'
import type { OidcConfig } from '../../config/oidc.ts'
import type { Config } from '../../config.ts'
import type { Db } from '../../database/database.ts'
import { inTransaction, type Tx } from '../../database/transaction.ts'
import { AppError } from '../../errors.ts'
import { uuid7 } from '../../lib/encoding/uuid7.ts'
import { cleanLine } from '../../lib/text/single-line.ts'
import { recordAuditEntry } from '../audit.ts'
import type { OrgRole } from '../caller.ts'
import type { Ctx } from '../ctx.ts'
import { groupTarget } from '../groups/groups.ts'
import { setOidcGroups } from '../groups/store.ts'
import { ensureAdminRemains } from '../last-admin.ts'
import { changePrincipal, insertPrincipal, lockPrincipal, type PrincipalRow } from '../principals.ts'
import type { Identity } from './oidc.ts'
import { type Claims, givesRole, nameFrom, roleFrom, valuesOf, verifiedEmail } from './oidc-roles.ts'

interface Deps {
  readonly db: Db
  readonly config: Config
  readonly now: () => Date
  readonly address: string
}

/**
 * The principal of a person that the provider has authenticated, created at the first sign-in; its role follows the
 * claims if they have one. Throws `sign_in_failed` for a person without a role, or who is disabled.
 */
export async function accountOf(deps: Deps, oidc: OidcConfig, identity: Identity): Promise<PrincipalRow> {
  const role = roleFrom(identity.claims, oidc)
  if (!role) throw accountError('Your account doesn’t have access to this workspace. Ask its administrator.')
  try {
    return await signIn(deps, oidc, identity, { role, setRole: givesRole(identity.claims, oidc) })
  } catch (error) {
    // The last admin keeps the role, even if the claims remove it: another person has to become admin first.
    if (!(error instanceof AppError) || error.code !== 'last_admin') throw error
    return signIn(deps, oidc, identity, { role, setRole: false })
  }
}

async function signIn(
  deps: Deps,
  oidc: OidcConfig,
  identity: Identity,
  given: { readonly role: OrgRole; readonly setRole: boolean },
): Promise<PrincipalRow> {
  return inTransaction(deps, (tx) =>
    ensureAdminRemains(tx, async () => {
      const person = await findOrCreate(tx, identity, given)
      await syncOidcGroups(tx, person, identity.claims, oidc)
      return person
    }),
  )
}

async function findOrCreate(
  tx: Deps & Tx,
  identity: Identity,
  { role, setRole }: { readonly role: OrgRole; readonly setRole: boolean },
): Promise<PrincipalRow> {
  const known = (await findPrincipalOf(tx, identity)) ?? (await linkProvisioned(tx, identity))
  if (!known) return create(tx, identity, role)
  if (known.disabled_at) throw accountError('Your account here is disabled.')
  return setRole && known.role !== role ? changePrincipal({ ...tx, actor: known }, known, { role }) : known
}

/** The principal of an identity, unless SCIM has deleted it; keeps the e-mail address, by which SCIM finds people. */
async function findPrincipalOf(tx: Pick<Tx, 'db'>, { issuer, subject, claims }: Identity) {
  const { rows } = await sql<{ principal_id: string; deleted: boolean }>`
    update identity set email = coalesce(${verifiedEmail(claims) ?? null}, email)
    where issuer = ${issuer} and subject = ${subject}
    returning principal_id, exists (select 1 from scim_user
      where scim_user.principal_id = identity.principal_id
        and scim_user.deleted_at is not null) as deleted`.execute(tx.db)
  const [row] = rows
  if (!row) return undefined
  const replaced = row.deleted ? await linkProvisioned(tx, { issuer, subject, claims }) : undefined
  return replaced ?? lockPrincipal(tx, row.principal_id)
}

/**
 * Links an identity to the person that SCIM keeps: by the id at the provider (`sub`, or `oid` of Microsoft Entra) or by
 * a verified e-mail address. An admin is linked by the address of the account only, which SCIM cannot change.
 */
async function linkProvisioned(
  tx: Pick<Tx, 'db'>,
  { issuer, subject, claims }: Identity,
): Promise<PrincipalRow | undefined> {
  const email = verifiedEmail(claims) ?? null
  const ids = [subject, claims.oid].filter((id) => typeof id === 'string')
  const { rows } = await sql<{ id: string }>`
    select principal.id from scim_user join principal on principal.id = scim_user.principal_id
    where scim_user.deleted_at is null
      and (principal.email = ${email} or (principal.role <> 'admin'
        and (lower(scim_user.user_name) = ${email} or scim_user.external_id = any(${ids}::text[]))))
      and not exists (select 1 from identity
        where identity.principal_id = principal.id and identity.issuer = ${issuer} and identity.subject <> ${subject})
    order by scim_user.external_id = any(${ids}::text[]) desc nulls last, principal.id limit 1`.execute(tx.db)
  if (!rows[0]) return undefined
  await sql`insert into identity (issuer, subject, principal_id, email, created_at)
    values (${issuer}, ${subject}, ${rows[0].id}, ${email}, now())
    on conflict (issuer, subject) do update
    set principal_id = excluded.principal_id, email = excluded.email`.execute(tx.db)
  return lockPrincipal(tx, rows[0].id)
}

async function create(tx: Deps & Tx, identity: Identity, role: OrgRole): Promise<PrincipalRow> {
  const { issuer, subject, claims } = identity
  const now = tx.now()
  const made = await insertPrincipal(tx, { id: uuid7(), name: nameFrom(claims), kind: 'human', role, now })
  await sql`insert into identity (issuer, subject, principal_id, email, created_at)
    values (${issuer}, ${subject}, ${made.id}, ${verifiedEmail(claims) ?? null}, ${now})`.execute(tx.db)
  await recordAuditEntry(
    { ...tx, actor: made },
    {
      action: 'principal.created',
      target: { type: 'principal', id: made.id, name: made.name },
      details: { kind: made.kind, role, issuer },
    },
  )
  return made
}

function accountError(detail: string): AppError {
  return new AppError('sign_in_failed', detail)
}

/**
 * Adds a person to the groups named by the claim, and removes them from groups that an earlier sign-in added and the
 * claim no longer names. Memberships that an admin or SCIM added are kept.
 */
async function syncOidcGroups(
  tx: Pick<Ctx, 'now' | 'address'> & Pick<Tx, 'db' | 'publish'>,
  person: PrincipalRow,
  claims: Claims,
  { groupsClaim }: OidcConfig,
): Promise<void> {
  if (groupsClaim === undefined) return
  const { added, removed } = await setOidcGroups(tx, {
    principalId: person.id,
    names: valuesOf(claims, groupsClaim).map(cleanLine),
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
