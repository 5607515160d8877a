import { AppError } from '@recto/contract/errors.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import { cleanLine } from '@recto/lib/text/single-line.ts'
import type { OrgRole } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import type { OidcConfig } from '../../platform/config/oidc.ts'
import type { Config } from '../../platform/config.ts'
import { brokenConstraint } from '../../platform/database/availability/failure.ts'
import type { Db } from '../../platform/database/database.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import { groupTarget } from '../groups/groups.ts'
import { setOidcGroups } from '../groups/store.ts'
import { recordAuditEntry } from '../principals/audit.ts'
import { ensureAdminRemains } from '../principals/last-admin.ts'
import { changePrincipal, insertPrincipal, lockPrincipal, type PrincipalRow } from '../principals/principals.ts'
import type { Identity } from '../sessions/oidc.ts'
import { type Claims, givesRole, listValues, nameFrom, roleFrom, verifiedEmail } from '../sessions/oidc-roles.ts'
import { invitationHash, type JoinFolders, joinInvited } from './accept.ts'
import { endCredentials } from './end-credentials.ts'
import * as store from './store-identities.ts'
import { type InvitationRow, takeInvitations } from './store-invitations.ts'

interface Deps {
  readonly db: Db
  readonly config: Config
  readonly now: () => Date
  readonly address: string
  readonly joinFolders: JoinFolders
}

/** Whoever signs in, with what the sign-in did. */
export interface SignedIn {
  readonly account: PrincipalRow
  /** An account that was there has a new way to sign in; `ended`: and none of its others. */
  readonly link: 'added' | 'ended' | undefined
  /** The invitations that were accepted. */
  readonly invitations: readonly InvitationRow[]
}

/** What a sign-in goes by. */
interface Given {
  readonly identity: Identity
  /** The address that the provider has verified, unless the operator does not trust it with addresses. */
  readonly email: string | undefined
  /** The hash of the token of an invitation whose holder chose the provider. */
  readonly invitation: Buffer | undefined
  readonly role: OrgRole
  readonly setRole: boolean
}

/**
 * The principal of a person that the provider has authenticated: the one who has signed in so before, whom SCIM keeps,
 * or who has the verified e-mail address; else a new one. Its role follows the claims if they have one. Open
 * invitations to the address are accepted. Throws `sign_in_failed` for a person without a role, or who is disabled.
 */
export async function signInWithProvider(
  deps: Deps,
  oidc: OidcConfig,
  identity: Identity,
  invitationToken?: string,
): Promise<SignedIn> {
  const role = roleFrom(identity.claims, oidc)
  if (!role) throw accountError('Your account doesn’t have access to this workspace. Ask its administrator.')
  const providerAccount: Given = {
    identity,
    email: oidc.trustsEmail ? verifiedEmail(identity.claims) : undefined,
    invitation: invitationToken === undefined ? undefined : invitationHash(invitationToken),
    role,
    setRole: givesRole(identity.claims, oidc),
  }
  try {
    return await signIn(deps, oidc, providerAccount)
  } catch (error) {
    // The last admin keeps the role, even if the claims remove it: another person has to become admin first.
    if (error instanceof AppError && error.code === 'last_admin')
      return signIn(deps, oidc, { ...providerAccount, setRole: false })
    // Somebody got the address at the same moment: by now there is an account to link.
    if (brokenConstraint(error) === 'principal_email') return signIn(deps, oidc, providerAccount)
    throw error
  }
}

async function signIn(deps: Deps, oidc: OidcConfig, providerAccount: Given): Promise<SignedIn> {
  return inTransaction(deps, (tx) =>
    ensureAdminRemains(tx, async () => {
      const signedIn = await findOrCreate(tx, providerAccount)
      await syncOidcGroups(tx, signedIn.account, providerAccount.identity.claims, oidc)
      return signedIn
    }),
  )
}

async function findOrCreate(tx: Deps & Tx, providerAccount: Given): Promise<SignedIn> {
  const knownPerson = (await findPrincipal(tx, providerAccount)) ?? (await linkProvisioned(tx, providerAccount))
  // Before an account is created: whoever accepts an invitation takes it first, too.
  const invitations = await takeInvitations(tx, {
    email: providerAccount.email,
    hash: providerAccount.invitation,
    now: tx.now(),
  })
  const linkedAccount = knownPerson ? undefined : await linkByEmail(tx, providerAccount)
  const foundPerson = knownPerson ?? linkedAccount?.person
  if (foundPerson?.disabled_at) throw accountError('Your account here is disabled.')
  const invitedAsAdmin = !providerAccount.setRole && invitations.some(({ role }) => role === 'admin')
  const role = invitedAsAdmin ? 'admin' : providerAccount.role
  const guest = role !== 'admin' && invitations.length > 0 && invitations.every((invitation) => invitation.guest)
  const person = foundPerson ?? (await create(tx, providerAccount, role, guest))
  const setRole = providerAccount.setRole || invitedAsAdmin
  const account =
    setRole && person.role !== role
      ? await changePrincipal({ ...tx, actor: person }, person, { role, ...(role === 'admin' && { guest: false }) })
      : person
  for (const invitation of invitations) await joinInvited(tx, invitation, account)
  return { account, link: linkedAccount?.link, invitations }
}

/** The principal of an identity, unless SCIM has deleted it; its e-mail address follows that of the provider. */
async function findPrincipal(tx: Deps & Tx, providerAccount: Given): Promise<PrincipalRow | undefined> {
  const row = await store.keepIdentity(tx, providerAccount.identity, providerAccount.email)
  if (!row) return undefined
  const replacedPerson = row.state === 'deleted' ? await linkProvisioned(tx, providerAccount) : undefined
  const person = replacedPerson ?? (await lockPrincipal(tx, row.principal_id))
  // SCIM keeps the addresses of its people.
  return person && row.state === null ? followAddress(tx, person, row.former, providerAccount.email) : person
}

/** Gives an account the address of its provider: where it has none, or the one that the provider had before. */
async function followAddress(
  tx: Deps & Tx,
  person: PrincipalRow,
  former: string | null,
  email: string | undefined,
): Promise<PrincipalRow> {
  const follows = person.email === null || (person.email === former && former !== null)
  if (email === undefined || email === person.email || !follows || person.disabled_at) return person
  if (await store.isEmailTaken(tx, email)) return person
  return changePrincipal({ ...tx, actor: person }, person, { email })
}

/**
 * Links an identity to the person that SCIM keeps: by the id at the provider (`sub`, or `oid` of Microsoft Entra) or by
 * a verified e-mail address. An admin is linked by the address of the account only, which SCIM cannot change.
 */
async function linkProvisioned(
  tx: Pick<Tx, 'db'>,
  { identity: { issuer, subject, claims }, email }: Given,
): Promise<PrincipalRow | undefined> {
  const ids = [subject, claims.oid].filter((id) => typeof id === 'string')
  const id = await store.findProvisioned(tx, { issuer, subject, email, ids })
  if (id === undefined) return undefined
  await store.putIdentity(tx, { issuer, subject, principalId: id, email })
  return lockPrincipal(tx, id)
}

/**
 * Links an identity to the account with its verified address, unless that has another identity of this provider: then
 * the provider has given the address to somebody else. Where somebody but an organisation admin may have set up the
 * account in the name of the person, its other credentials end (account pre-hijacking, Sudhodanan and Paverd 2022).
 */
async function linkByEmail(
  tx: Deps & Tx,
  { identity, email }: Given,
): Promise<{ readonly person: PrincipalRow; readonly link: SignedIn['link'] } | undefined> {
  if (email === undefined) return undefined
  const { issuer, subject } = identity
  const id = await store.findUnlinked(tx, { email, issuer })
  const person = id === undefined ? undefined : await lockPrincipal(tx, id)
  if (person?.email !== email) return undefined
  if (person.disabled_at) return { person, link: undefined }
  await store.putIdentity(tx, { issuer, subject, principalId: person.id, email })
  const auditedTx = { ...tx, actor: person }
  const credentialsEnded = await store.wasInvitedByMember(tx, person.id)
  if (credentialsEnded) await endCredentials(auditedTx, person.id)
  await recordAuditEntry(auditedTx, {
    action: 'identity.linked',
    target: { type: 'principal', id: person.id, name: person.name },
    details: { issuer, subject, email, credentialsEnded },
  })
  return { person, link: credentialsEnded ? 'ended' : 'added' }
}

async function create(
  tx: Deps & Tx,
  { identity, email: verifiedEmail }: Given,
  role: OrgRole,
  guest: boolean,
): Promise<PrincipalRow> {
  // Taken by an account that is somebody else’s at the provider: an admin decides.
  const email = verifiedEmail !== undefined && !(await store.isEmailTaken(tx, verifiedEmail)) ? verifiedEmail : null
  const name = nameFrom(identity.claims)
  const newPerson = await insertPrincipal(tx, { id: uuid7(), name, kind: 'human', role, guest, email, now: tx.now() })
  const { issuer, subject } = identity
  await store.putIdentity(tx, { issuer, subject, principalId: newPerson.id, email: verifiedEmail })
  const details = { kind: newPerson.kind, role, issuer, ...(email !== null && { email }) }
  const target = { type: 'principal', id: newPerson.id, name: newPerson.name } as const
  await recordAuditEntry({ ...tx, actor: newPerson }, { action: 'principal.created', target, details })
  return newPerson
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
    names: listValues(claims, groupsClaim).map(cleanLine),
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
