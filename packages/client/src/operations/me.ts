import { favouriteTarget, route } from '../transport/address.ts'
import type { CallOptions, Connection } from '../transport/connection.ts'
import { jsonApi } from '../transport/json.ts'
import type { ListCall, Listing } from '../transport/paging.ts'
import { send } from '../transport/request.ts'
import type { ApiKey, AppConnection, CreatedKey, Favourite, Me, NewKey, Passkey, Session } from '../types.ts'
import type { KeyListOptions } from './keys.ts'

/** The authenticated principal, and what belongs to it. */
export function meMethods(connection: Connection) {
  const api = jsonApi(connection)
  const secret = { notIdempotent: true }
  const put = async (target: string, call?: CallOptions) => {
    await send(connection, { method: 'PUT', target, call, notIdempotent: true })
  }
  return {
    /** The authenticated principal, and the permissions of the key. */
    get: (call?: CallOptions): Promise<Me> => api.get('/me', call),
    /** Your own keys. */
    keys: {
      list: (options?: KeyListOptions): Listing<ApiKey> => api.list('/me/api-keys', options),
      /** Creates a key; only this response contains the secret. */
      create: (key: NewKey, call?: CallOptions): Promise<CreatedKey> =>
        api.post('/me/api-keys', key, call, secret),
      revoke: (id: string, call?: CallOptions): Promise<void> => api.delete(route`/me/api-keys/${id}`, call),
    },
    /** The browsers in which you are signed in. */
    sessions: {
      list: (options?: ListCall): Listing<Session> => api.list('/me/sessions', options),
      /** Signs a browser out. */
      end: (id: string, call?: CallOptions): Promise<void> => api.delete(route`/me/sessions/${id}`, call),
      /** Signs all browsers out, except for the one of this request. */
      endOthers: (call?: CallOptions): Promise<void> => api.delete('/me/sessions', call),
    },
    /** The pages and spaces that you have marked. */
    favourites: {
      list: (options?: ListCall): Listing<Favourite> => api.list('/me/favourites', options),
      addPage: (space: string, path: string, call?: CallOptions): Promise<void> =>
        put(favouriteTarget(space, path), call),
      removePage: (space: string, path: string, call?: CallOptions): Promise<void> =>
        api.delete(favouriteTarget(space, path), call),
      addSpace: (space: string, call?: CallOptions): Promise<void> =>
        put(route`/me/favourites/${space}`, call),
      removeSpace: (space: string, call?: CallOptions): Promise<void> =>
        api.delete(route`/me/favourites/${space}`, call),
    },
    /** What the start screen offers to do next. */
    firstSteps: {
      /** Marks a step as done or dismissed: `space`, `page`, `invite`, `assistant`, `import` or `all`. */
      remove: (step: string, call?: CallOptions): Promise<void> =>
        api.delete(route`/me/first-steps/${step}`, call),
    },
    /** The apps that act for you. */
    connections: {
      list: (options?: ListCall): Listing<AppConnection> => api.list('/me/connections', options),
      /** Disconnects an app. */
      end: (id: string, call?: CallOptions): Promise<void> => api.delete(route`/me/connections/${id}`, call),
    },
    /** Your passkeys. They are created in a browser. */
    passkeys: {
      list: (options?: ListCall): Listing<Passkey> => api.list('/me/passkeys', options),
      rename: (id: string, name: string, call?: CallOptions): Promise<Passkey> =>
        api.patch(route`/me/passkeys/${id}`, { name }, call, secret),
      remove: (id: string, call?: CallOptions): Promise<void> => api.delete(route`/me/passkeys/${id}`, call),
    },
  }
}
