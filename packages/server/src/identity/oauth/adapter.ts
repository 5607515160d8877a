import { isUuid } from '@recto/lib/encoding/uuid7.ts'
import Provider, { type Adapter, type AdapterPayload, errors } from 'oidc-provider'
import type { Runtime } from '../../access/ctx.ts'
import { autocommit } from '../../platform/database/database.ts'
import { inTransaction } from '../../platform/database/transaction.ts'
import { hashKey } from '../principals/authenticate.ts'
import { secretExpiry } from './client-metadata.ts'
import { type EndReason, endConnection } from './connections.ts'
import { OAUTH_SCOPES, oauthScopesIn, resourceUrls } from './scopes.ts'
import * as store from './store-artifacts.ts'
import { findGrant, type GrantRow } from './store-connections.ts'

type AdapterDeps = Pick<Runtime, 'db' | 'now' | 'config'>

/** Registered clients without a connection: how many are kept, and for how long. */
const MAX_UNUSED_CLIENTS = 10_000
const UNUSED_CLIENT_SECONDS = 24 * 3600

/** The storage of the authorization server, by model, in PostgreSQL: any node may serve the next request. */
export function createAdapters(deps: AdapterDeps): (model: string) => Adapter {
  return (model) => {
    switch (model) {
      case 'AuthorizationCode':
      case 'AccessToken':
      case 'RefreshToken':
        return tokens(deps, model)
      case 'Grant':
        return grants(deps)
      case 'Interaction':
        return interactions(deps)
      case 'Client':
        return clients(deps)
      case 'Session':
        return noSessions()
      default:
        return { ...unsupportedModel, find: async () => undefined }
    }
  }
}

const never = async (): Promise<never> => {
  throw new Error('The authorization server does not use this.')
}

const unsupportedModel: Adapter = {
  upsert: never,
  find: never,
  findByUserCode: never,
  findByUid: never,
  consume: never,
  destroy: never,
  revokeByGrantId: async () => undefined,
}

/** Codes and tokens, stored by their hash. The id is the token itself, and is not stored. */
function tokens(deps: AdapterDeps, kind: store.TokenKind): Adapter {
  const { db } = deps
  return {
    ...unsupportedModel,
    async upsert(id, { jti: _, ...payload }, expiresIn) {
      const insertedRow = await store.insertToken.first(autocommit(db), {
        hash: hashKey(id),
        kind,
        connectionId: String(payload.grantId),
        scopes: oauthScopesIn(payload.scope),
        payload: JSON.stringify(payload),
        expiresAt: inSeconds(deps, expiresIn),
      })
      if (!insertedRow) throw new errors.InvalidGrant('the connection has ended')
    },
    async find(id) {
      const row = await store.findToken.first(db, { hash: hashKey(id), kind })
      if (!row) return undefined
      const payload = JSON.parse(row.payload) as AdapterPayload // written by `upsert`
      return { ...payload, jti: id, ...(row.consumed_at && { consumed: true }) }
    },
    async consume(id) {
      if (await store.consumeToken(autocommit(db), hashKey(id))) return
      // Another request has used it since this one read it, which is also a replay.
      const row = await store.findToken.first(db, { hash: hashKey(id), kind })
      const { grantId } = JSON.parse(row?.payload ?? '{}') as AdapterPayload
      if (grantId !== undefined) await end(deps, grantId, 'token_reuse')
      throw new errors.InvalidGrant('already used')
    },
    destroy: (id) => store.deleteToken(autocommit(db), hashKey(id)),
  }
}

/** A grant is a connection: it exists while that is live. `connectApp` creates it. */
function grants(deps: AdapterDeps): Adapter {
  return {
    ...unsupportedModel,
    async find(id) {
      const row = isUuid(id) ? await findGrant.first(deps.db, { id }) : undefined
      return row && grantPayload(deps.config.publicUrl, id, row)
    },
    destroy: (id) => end(deps, id, Provider.ctx?.oidc.route === 'revocation' ? 'app' : 'token_reuse'),
  }
}

/** Scopes that were not granted count as rejected: the person is not asked again in the same request. */
function grantPayload(origin: string, id: string, row: GrantRow): AdapterPayload {
  const scopes = oauthScopesIn(row.scopes.join(' '))
  const declinedScopes = OAUTH_SCOPES.filter((scope) => !scopes.includes(scope)).join(' ')
  const urls = resourceUrls(origin, row.audience)
  const forAll = (scope: string) => Object.fromEntries(urls.map((url) => [url, scope]))
  return {
    kind: 'Grant',
    jti: id,
    accountId: row.principal_id,
    clientId: row.client_id,
    iat: seconds(row.created_at),
    exp: seconds(row.expires_at),
    openid: { scope: 'openid offline_access' },
    resources: forAll(scopes.join(' ')),
    ...(declinedScopes !== '' && { rejected: { resources: forAll(declinedScopes) } }),
  }
}

function interactions(deps: AdapterDeps): Adapter {
  const { db } = deps
  return {
    ...unsupportedModel,
    upsert: (id, { jti: _, ...payload }, expiresIn) =>
      store.putInteraction(autocommit(db), {
        hash: hashKey(id),
        payload: JSON.stringify(payload),
        expiresAt: inSeconds(deps, expiresIn),
      }),
    async find(id) {
      const payload = await store.findInteraction(db, hashKey(id))
      return payload === undefined ? undefined : { ...JSON.parse(payload), jti: id }
    },
    destroy: (id) => store.deleteInteraction(autocommit(db), hashKey(id)),
  }
}

/** Clients that registered themselves (RFC 7591). */
function clients(deps: AdapterDeps): Adapter {
  return {
    ...unsupportedModel,
    async upsert(id, { client_secret: secret, ...metadata }) {
      const now = deps.now()
      if (secret !== undefined) {
        metadata.client_secret = hashKey(secret).toString('base64url')
        metadata.client_secret_expires_at = secretExpiry(metadata)
      }
      const expiresAt = inSeconds(deps, UNUSED_CLIENT_SECONDS)
      const client = { id, metadata: JSON.stringify(metadata), now, expiresAt, max: MAX_UNUSED_CLIENTS }
      await inTransaction(deps, (tx) => store.insertClient(tx, client))
    },
    async find(id) {
      const metadata = await store.findClient(deps.db, id)
      return metadata === undefined ? undefined : JSON.parse(metadata)
    },
  }
}

/** The authorization server has no sessions of its own: the session of the workspace identifies the person. */
function noSessions(): Adapter {
  return {
    ...unsupportedModel,
    upsert: async () => undefined,
    find: async () => undefined,
    findByUid: async () => undefined,
    destroy: async () => undefined,
  }
}

async function end(deps: AdapterDeps, id: string, reason: EndReason): Promise<void> {
  const address = Provider.ctx?.ip
  await inTransaction({ ...deps, ...(address !== undefined && { address }) }, (tx) => endConnection(tx, { id, reason }))
}

function inSeconds({ now }: AdapterDeps, count: number | undefined): Date {
  if (count === undefined) throw new Error('Nothing is stored for ever.')
  return new Date(now().getTime() + count * 1000)
}

function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1000)
}
