import { type AuditedTx, recordAuditEntries } from '../principals/audit.ts'
import { deleteLinks } from '../principals/principals.ts'
import { deleteSessions } from '../sessions/sessions.ts'
import { endOwnCredentials } from './store-identities.ts'

/** Ends all ways to act as a person but identity providers: sessions, keys, apps, links, password and passkeys. */
export async function endCredentials(tx: AuditedTx, principalId: string): Promise<void> {
  const { keys, apps } = await endOwnCredentials(tx, { principalId, now: tx.now() })
  await deleteLinks(tx, principalId)
  await deleteSessions(tx, principalId)
  await recordAuditEntries(tx, [
    ...keys.map((key) => ({ action: 'api_key.revoked', target: { type: 'api_key', ...key } }) as const),
    ...apps.map((app) => ({ action: 'app.disconnected', target: { type: 'app', ...app } }) as const),
  ])
}
