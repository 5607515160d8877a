import { favouriteTarget, route } from '../transport/address.ts'
import type { CallOptions, Connection } from '../transport/connection.ts'
import { jsonApi } from '../transport/json.ts'
import type { ListCall, Listing } from '../transport/paging.ts'
import { send } from '../transport/request.ts'
import type { ApiKey, AppConnection, CreatedKey, Favourite, Me, NewKey, Passkey, Session } from '../types.ts'
import type { KeyListOptions } from './keys.ts'

/** The authenticated principal, and what belongs to it. */
export interface MeMethods {
  /** The authenticated principal, and the permissions of the key. */
  get(call?: CallOptions): Promise<Me>
  /** Your own keys. */
  readonly keys: {
    list(options?: KeyListOptions): Listing<ApiKey>
    /** Creates a key; only this response contains the secret. */
    create(key: NewKey, call?: CallOptions): Promise<CreatedKey>
    revoke(id: string, call?: CallOptions): Promise<void>
  }
  /** The browsers in which you are signed in. */
  readonly sessions: {
    list(options?: ListCall): Listing<Session>
    /** Signs a browser out. */
    end(id: string, call?: CallOptions): Promise<void>
    /** Signs all browsers out, except for the one of this request. */
    endOthers(call?: CallOptions): Promise<void>
  }
  /** The pages and spaces that you have marked. */
  readonly favourites: {
    list(options?: ListCall): Listing<Favourite>
    addPage(space: string, path: string, call?: CallOptions): Promise<void>
    removePage(space: string, path: string, call?: CallOptions): Promise<void>
    addSpace(space: string, call?: CallOptions): Promise<void>
    removeSpace(space: string, call?: CallOptions): Promise<void>
  }
  /** What the start screen offers to do next. */
  readonly firstSteps: {
    /** Marks a step as done or dismissed: `space`, `page`, `invite`, `assistant`, `import` or `all`. */
    remove(step: string, call?: CallOptions): Promise<void>
  }
  /** The apps that act for you. */
  readonly connections: {
    list(options?: ListCall): Listing<AppConnection>
    /** Disconnects an app. */
    end(id: string, call?: CallOptions): Promise<void>
  }
  /** Your passkeys. They are created in a browser. */
  readonly passkeys: {
    list(options?: ListCall): Listing<Passkey>
    rename(id: string, name: string, call?: CallOptions): Promise<Passkey>
    remove(id: string, call?: CallOptions): Promise<void>
  }
}

/** The methods of the authenticated principal. */
export function meMethods(connection: Connection): MeMethods {
  const api = jsonApi(connection)
  const secret = { notIdempotent: true }
  const put = async (target: string, call?: CallOptions) => {
    await send(connection, { method: 'PUT', target, call, notIdempotent: true })
  }
  return {
    get: (call) => api.get('/me', call),
    keys: {
      list: (options) => api.list('/me/api-keys', options),
      create: (key, call) => api.post('/me/api-keys', key, call, secret),
      revoke: (id, call) => api.delete(route`/me/api-keys/${id}`, call),
    },
    sessions: {
      list: (options) => api.list('/me/sessions', options),
      end: (id, call) => api.delete(route`/me/sessions/${id}`, call),
      endOthers: (call) => api.delete('/me/sessions', call),
    },
    favourites: {
      list: (options) => api.list('/me/favourites', options),
      addPage: (space, path, call) => put(favouriteTarget(space, path), call),
      removePage: (space, path, call) => api.delete(favouriteTarget(space, path), call),
      addSpace: (space, call) => put(route`/me/favourites/${space}`, call),
      removeSpace: (space, call) => api.delete(route`/me/favourites/${space}`, call),
    },
    firstSteps: {
      remove: (step, call) => api.delete(route`/me/first-steps/${step}`, call),
    },
    connections: {
      list: (options) => api.list('/me/connections', options),
      end: (id, call) => api.delete(route`/me/connections/${id}`, call),
    },
    passkeys: {
      list: (options) => api.list('/me/passkeys', options),
      rename: (id, name, call) => api.patch(route`/me/passkeys/${id}`, { name }, call, secret),
      remove: (id, call) => api.delete(route`/me/passkeys/${id}`, call),
    },
  }
}
