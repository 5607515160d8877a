import { AppError } from '@recto/contract/errors.ts'
import { isUuid, uuid7 } from '@recto/lib/encoding/uuid7.ts'
import type { Static } from 'typebox'
import { isUnlimited } from '../../access/caller.ts'
import type { Ctx, Runtime } from '../../access/ctx.ts'
import { toItem } from '../../platform/database/rows.ts'
import { inTransaction, type Tx } from '../../platform/database/transaction.ts'
import { buildPage, type List, type PageQuery, parseWindow, toKeyset } from '../../platform/http/paging.ts'
import { spaceIdsFor } from '../keys/key-spaces.ts'
import { recordAuditEntry } from '../principals/audit.ts'
import { requireConfirmation } from '../sessions/confirmation.ts'
import type { connectionSchema } from './schema.ts'
import { type Audience, type OauthScope, oauthScopesIn } from './scopes.ts'
import * as store from './store-connections.ts'

/** The lifetime of an authorization code, and of a pending connection. */
export const CODE_SECONDS = 60

/** An app that acts for the caller. */
export type AppConnection = Static<typeof connectionSchema>

/** What a person allows an app to do. */
export interface Consent {
  readonly client: { readonly id: string; readonly name: string; readonly redirectUri: string }
  readonly audience: Audience
  readonly requestedScopes: readonly OauthScope[]
  readonly scopes: readonly OauthScope[]
  /** Absent: all spaces. */
  readonly spaces?: readonly string[]
}

/** Throws `forbidden` unless the caller has full access: apps that act for them get no more than that. */
export function requireConnector({ actor }: Pick<Ctx, 'actor'>): void {
  if (isUnlimited(actor)) return
  const detail =
    'Connecting an app needs full access: ' +
    'sign in with your password, or with a key that has the scope `admin` for all spaces.'
  throw new AppError('forbidden', detail)
}

/** Connects an app with the caller. Returns the id of the connection, for which the app then gets tokens. */
export async function connectApp(ctx: Ctx, consent: Consent): Promise<string> {
  requireConnector(ctx)
  await requireConfirmation(ctx)
  const { client, audience, scopes, requestedScopes, spaces } = consent
  const spaceIds = spaces === undefined ? null : await spaceIdsFor(ctx, [...new Set(spaces)], ctx.actor)
  const id = uuid7()
  const now = ctx.now()
  const expiresAt = new Date(now.getTime() + CODE_SECONDS * 1000)
  await inTransaction(ctx, async (tx) => {
    const insertedConnection = await store.insertConnection(tx, {
      id,
      principalId: ctx.actor.id,
      clientId: client.id,
      clientName: client.name,
      redirectUri: client.redirectUri,
      audience,
      scopes,
      requestedScopes,
      spaceIds,
      personal: ctx.actor.personal,
      now,
      expiresAt,
    })
    if (!insertedConnection) return
    await store.keepClient(tx, { id: client.id, now, expiresAt })
    await recordAuditEntry(tx, {
      action: 'app.connected',
      target: { type: 'app', id, name: client.name },
      details: { clientId: client.id, redirectUri: client.redirectUri, audience, scopes, spaces: spaces ?? null },
    })
  })
  return id
}

/** Records that the caller declined to connect an app. */
export async function declineApp(ctx: Ctx, client: Consent['client']): Promise<void> {
  const { id: clientId, name, redirectUri } = client
  await inTransaction(ctx, (tx) =>
    recordAuditEntry(tx, {
      action: 'app.refused',
      target: { type: 'app', id: clientId, name },
      details: { clientId, redirectUri },
    }),
  )
}

/** The apps that act for the caller, the oldest first. A limited credential sees none but its own. */
export async function listOwnConnections(ctx: Ctx, query: PageQuery): Promise<List<AppConnection>> {
  const window = parseWindow(ctx, `connections/${ctx.actor.id}`, query, ['id'])
  const only = isUnlimited(ctx.actor) ? undefined : (ctx.actor.app?.connectionId ?? null)
  const rows = await store.listConnections(ctx.db, ctx.actor, { ...toKeyset(window), only })
  return buildPage(window, rows, ['id'], toConnection)
}

/** Disconnects an app: every node rejects its tokens within one second. An app may end its own connection. */
export async function endOwnConnection(ctx: Ctx, id: string): Promise<void> {
  if (!isUuid(id)) throw noSuchConnection()
  if (id !== ctx.actor.app?.connectionId && !isUnlimited(ctx.actor)) {
    throw new AppError('forbidden', 'Disconnecting apps needs full access to all spaces.')
  }
  await inTransaction(ctx, async (tx) => {
    const endedConnection = await endConnection(tx, { id, principalId: ctx.actor.id, reason: 'person' })
    if (!endedConnection && !tx.commitOutcomeUnknown) throw noSuchConnection()
  })
}

/** Why a connection ended: its person did it, the app revoked a token, or a code or refresh token was used twice. */
export type EndReason = 'person' | 'app' | 'token_reuse'

/** Ends a connection within a transaction; false if it is not live. */
export async function endConnection(
  tx: Pick<Runtime, 'now'> & Pick<Ctx, 'address'> & Pick<Tx, 'db' | 'publish'>,
  connection: { readonly id: string; readonly principalId?: string; readonly reason: EndReason },
): Promise<boolean> {
  const { id, principalId, reason } = connection
  const endedRow = await store.endConnectionRow(tx, {
    id,
    now: tx.now(),
    ...(principalId !== undefined && { principalId }),
  })
  if (!endedRow) return false
  await recordAuditEntry(
    { ...tx, actor: { id: endedRow.principal_id } },
    {
      action: 'app.disconnected',
      target: { type: 'app', id: endedRow.id, name: endedRow.client_name },
      details: { reason },
    },
  )
  return true
}

function noSuchConnection(): AppError {
  return new AppError('not_found', 'You have no connected app with this id.')
}

function toConnection(row: store.ConnectionRow): AppConnection {
  return { ...toItem(row), scopes: oauthScopesIn(row.scopes.join(' ')) }
}
