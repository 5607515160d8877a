import type Provider from 'oidc-provider'
import type { Runtime } from '../../access/ctx.ts'
import type { Sweep } from '../../platform/database/sweeper.ts'
import type { FetchInternals } from './fetch-metadata.ts'
import { deleteExpiredArtifacts } from './store-artifacts.ts'

const SWEEP_BATCH = 500

export type AuthorizationServer = ReturnType<typeof startAuthorizationServer>

/** The authorization server. Its library takes memory, so it is loaded with the first request. */
export function startAuthorizationServer(runtime: Runtime, secretKey: Buffer, internals?: FetchInternals) {
  let starting: Promise<Provider> | undefined
  return {
    provider() {
      // If it fails, the next request tries again.
      starting ??= import('./server.ts')
        .then(({ createAuthorizationServer }) => createAuthorizationServer({ runtime, secretKey, internals }))
        .catch((error) => {
          starting = undefined
          throw error
        })
      return starting
    },
  }
}

/** Deletes expired tokens, pending requests and clients that nobody connected. */
export const oauthSweep: Sweep = {
  name: 'OAuth sweep',
  batch: (db, now) => deleteExpiredArtifacts(db, now, SWEEP_BATCH),
}
