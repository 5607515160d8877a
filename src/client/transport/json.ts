import { type QueryValue, targetWithQuery } from './address.ts'
import {
  type ApiResponse,
  type CallOptions,
  type Connection,
  type Request,
  withoutCallOptions,
} from './connection.ts'
import { type List, type ListCall, type Listing, listingOf } from './paging.ts'
import { send } from './request.ts'

type Extra = Pick<Request, 'headers' | 'notIdempotent' | 'repeatable'>

/** Requests with JSON bodies and responses, over one connection. */
export interface JsonApi {
  get<T>(target: string, call?: CallOptions): Promise<T>
  /** The list at a URL; the further members of the options are query parameters. */
  list<T, P extends List<T> = List<T>>(target: string, options?: ListCall): Listing<T, P>
  post<T>(target: string, body?: unknown, call?: CallOptions, extra?: Extra): Promise<T>
  put<T>(target: string, body: unknown, call?: CallOptions): Promise<T>
  patch<T>(target: string, body: unknown, call?: CallOptions, extra?: Extra): Promise<T>
  delete(target: string, call?: CallOptions, extra?: Extra): Promise<void>
}

export function jsonApi(connection: Connection): JsonApi {
  const write =
    (method: Request['method']) =>
    <T>(target: string, body: unknown, call?: CallOptions, { headers, ...extra }: Extra = {}) => {
      const json = body === undefined ? {} : jsonBody(body)
      const request = { method, target, ...json, headers: { ...json.headers, ...headers }, call, ...extra }
      return requestJson<T>(connection, request)
    }
  return {
    get: (target, call) => requestJson(connection, { ...read, target, call }),
    list: (target, options = {}) =>
      listingOf((cursor) => {
        const query = { ...(withoutCallOptions(options) as Record<string, QueryValue>), cursor }
        return requestJson(connection, { ...read, target: targetWithQuery(target, query), call: options })
      }),
    post: write('POST'),
    put: write('PUT'),
    patch: write('PATCH'),
    async delete(target, call, extra = {}) {
      await send(connection, { method: 'DELETE', target, call, ...extra })
    },
  }
}

/** Sends a request and parses the JSON of the response. */
export async function requestJson<T>(connection: Connection, request: Request): Promise<T> {
  return jsonOf(await send(connection, request))
}

/** Parses the body of a response. */
export function jsonOf<T>({ body }: ApiResponse): T {
  return JSON.parse(new TextDecoder().decode(body)) as T // as the schemas of the API say
}

/** A JSON body with its content type. */
export function jsonBody(value: unknown): Pick<Request, 'headers' | 'body'> {
  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) }
}

/** For reads that follow redirects of moved pages and spaces. */
export const read = { method: 'GET', redirect: 'follow' } as const
