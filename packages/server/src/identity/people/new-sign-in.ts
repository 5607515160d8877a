import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Ctx, Runtime } from '../../access/ctx.ts'
import type { Tx } from '../../platform/database/transaction.ts'
import type { NewAuditEntry } from '../principals/audit.ts'
import { hashKey } from '../principals/authenticate.ts'
import { newChallenge, openChallenge } from './passkeys/challenges.ts'
import { creationOptions, notRegistered, verifiedCredential } from './passkeys/creation.ts'
import { insertPasskey, listCredentials, takeChallenge } from './passkeys/store.ts'
import { hashPassword } from './password-hash.ts'
import { checkNewPassword } from './password-rules.ts'
import { isStored, putPassword } from './store.ts'

export type LinkDeps = Pick<Runtime, 'db' | 'now' | 'config' | 'log' | 'cursors'> & Pick<Ctx, 'address'>

/** A passkey that a browser created for the holder of a link. */
export interface CreatedPasskey {
  /** The encrypted challenge, from the cookie. */
  readonly sealed: string | undefined
  readonly response: RegistrationResponseJSON
  /** The name in the list of passkeys. */
  readonly name: string
}

/** How the holder of a link will sign in: with a password or with a passkey. */
export type SignInMethod = { readonly password: string } | { readonly passkey: CreatedPasskey }

/** A method that was checked, for the transaction that sets up the account. */
export interface NewSignIn {
  /** The id of the account that the passkey was created for. */
  readonly accountId?: string | undefined
  store(tx: Pick<Tx, 'db'>, principalId: string): Promise<void>
  /** Whether it is stored: an earlier run of the transaction, whose outcome is unknown, was committed. */
  isStored(tx: Pick<Tx, 'db'>, principalId: string): Promise<boolean>
  /** The audit event of the account. */
  readonly event: Pick<NewAuditEntry, 'action' | 'details'>
}

/** The options with which the holder of a link creates the first passkey of an account. */
export async function firstPasskeyOptions(
  deps: LinkDeps,
  account: {
    readonly token: string
    readonly name: string
    readonly email: string
    /** A new account by default. */
    readonly id?: string
  },
): Promise<{ readonly options: PublicKeyCredentialCreationOptionsJSON; readonly sealed: string }> {
  const { token, name, email, id = uuid7() } = account
  const { challenge, sealed } = newChallenge(deps, toPurpose(token), id)
  const options = await creationOptions(deps, { id, name, email, challenge, known: [] })
  return { options, sealed }
}

/** Checks a new password, or a new passkey that was created for this link; throws `invalid_request`. */
export async function prepareSignIn(deps: LinkDeps, token: string, method: SignInMethod): Promise<NewSignIn> {
  return 'password' in method ? preparePassword(deps, method.password) : preparePasskey(deps, token, method.passkey)
}

async function preparePassword({ now }: LinkDeps, password: string): Promise<NewSignIn> {
  await checkNewPassword(password)
  const hash = await hashPassword(password)
  return {
    store: (tx, principalId) => putPassword(tx, { principalId, hash, now: now() }),
    isStored: (tx, principalId) => isStored(tx, principalId, hash),
    event: { action: 'password.set' },
  }
}

async function preparePasskey(
  deps: LinkDeps,
  token: string,
  { sealed, response, name }: CreatedPasskey,
): Promise<NewSignIn> {
  const openedChallenge = openChallenge(deps, toPurpose(token), sealed)
  if (!openedChallenge) throw notRegistered()
  const { challenge, accountId } = openedChallenge
  const credential = await verifiedCredential(deps, response, challenge)
  const id = uuid7()
  return {
    accountId,
    async store(tx, principalId) {
      if (!(await takeChallenge(tx, challenge))) throw notRegistered()
      if (!(await insertPasskey(tx, { ...credential, id, principalId, name, now: deps.now() }))) throw notRegistered()
    },
    async isStored(tx, principalId) {
      const storedPasskeys = await listCredentials(tx.db, principalId)
      return storedPasskeys.some(({ credential_id }) => credential_id.equals(credential.credentialId))
    },
    event: { action: 'passkey.added', details: { passkey: name } },
  }
}

/** A challenge of one link does not work for another. */
function toPurpose(token: string): string {
  return `link/${hashKey(token).toString('hex')}`
}
