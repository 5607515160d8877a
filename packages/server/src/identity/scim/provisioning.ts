import { newToken } from '@recto/lib/encoding/token.ts'
import { uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { Static } from 'typebox'
import { requireOrgAdmin, requireUnlimitedPerson } from '../../access/caller.ts'
import type { Ctx } from '../../access/ctx.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import { type AuditAction, recordAuditEntry } from '../principals/audit.ts'
import { hashKey, SCIM_TOKEN_PREFIX } from '../principals/authenticate.ts'
import { changePrincipal, insertPrincipal, lockPrincipal } from '../principals/principals.ts'
import { requireConfirmation } from '../sessions/confirmation.ts'
import { SCIM_PATH } from './protocol.ts'
import type { createdTokenSchema, provisioningSchema } from './schema.ts'
import * as store from './store-provisioning.ts'

/** The state of SCIM, for organisation admins. */
export type Provisioning = Static<typeof provisioningSchema>

/** The state with a new token, which only this response contains. */
export type CreatedScimToken = Static<typeof createdTokenSchema>

const AGENT_NAME = 'SCIM'
/** How many characters of the token are stored to recognise it. */
const HINT_LENGTH = 9

/** The state of SCIM. */
export async function readProvisioning(ctx: Ctx): Promise<Provisioning> {
  requireOrgAdmin(ctx)
  const [row, counts] = await Promise.all([store.findToken(ctx.db), store.countProvisioned(ctx.db)])
  const token = row?.hash
    ? {
        hint: row.hint,
        createdAt: row.created_at.toISOString(),
        createdBy: row.created_by,
        lastUsedAt: row.last_used_at?.toISOString() ?? null,
      }
    : null
  return {
    enabled: token !== null,
    baseUrl: ctx.config.publicUrl + SCIM_PATH,
    token,
    principal: row?.principal ?? null,
    ...counts,
  }
}

/** Switches SCIM on, or replaces its token: the old one ends. */
export async function createScimToken(ctx: Ctx): Promise<CreatedScimToken> {
  requireOrgAdmin(ctx)
  requireUnlimitedPerson(ctx, 'Making a SCIM token')
  await requireConfirmation(ctx)
  const secret = newToken(SCIM_TOKEN_PREFIX)
  const hash = hashKey(secret)
  const id = uuid7()
  await inTransaction(ctx, async (tx) => {
    await store.lockToken(tx)
    const before = await store.findToken(tx.db)
    if (tx.commitOutcomeUnknown && before?.hash?.equals(hash)) return
    const principalId = await ensureAgent(tx, before?.principal.id)
    const hint = secret.slice(0, HINT_LENGTH)
    await store.putToken(tx, { id, hash, hint, principalId, createdBy: ctx.actor.id, now: ctx.now() })
    await record(tx, before?.hash ? 'scim.token_rotated' : 'scim.enabled', principalId)
  })
  return { provisioning: await readProvisioning(ctx), secret }
}

/** Switches SCIM off: its token ends, people and groups stay as they are. */
export async function endProvisioning(ctx: Ctx): Promise<void> {
  requireOrgAdmin(ctx)
  await inTransaction(ctx, async (tx) => {
    const before = await store.findToken(tx.db)
    if (before && (await store.endToken(tx))) await record(tx, 'scim.disabled', before.principal.id)
  })
}

/** The agent of SCIM, which is created with the first token, and enabled again with a new one. */
async function ensureAgent(tx: Ctx & Tx, id: string | undefined): Promise<string> {
  const agent = id === undefined ? undefined : await lockPrincipal(tx, id)
  if (!agent) {
    const now = tx.now()
    const newAgent = await insertPrincipal(tx, { id: uuid7(), name: AGENT_NAME, kind: 'agent', now })
    return newAgent.id
  }
  if (agent.disabled_at) await changePrincipal(tx, agent, { disabled: false })
  return agent.id
}

async function record(tx: Omit<Ctx, 'db'> & Tx, action: AuditAction, principalId: string): Promise<void> {
  const target = { type: 'principal', id: principalId, name: AGENT_NAME } as const
  await recordAuditEntry(tx, { action, target })
}
