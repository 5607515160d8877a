import { type QueryValue, targetWithQuery } from './address.ts'
import type { CallOptions, Connection, Request } from './connection.ts'
import { jsonBody } from './json.ts'
import { open, send } from './request.ts'

export interface RequestOptions extends CallOptions {
  readonly query?: Readonly<Record<string, QueryValue>> | undefined
  /** Text or bytes as they are; any other value is sent as JSON. */
  readonly body?: unknown
  /** Whether to resolve as soon as the headers have arrived, for long bodies; the time limit then ends there. */
  readonly stream?: boolean | undefined
}

/**
 * Sends any request to the service, such as an operation that this version of the client does not know. It resolves to
 * a response with a status below 400; other statuses are thrown as `ApiError`. GET, HEAD, PUT and DELETE are retried,
 * POST and PATCH only with an `idempotencyKey`.
 *
 * ```js
 * const response = await recto.request('GET', '/pages/docs/start', { headers: { Accept: 'application/json' } })
 * const { version } = await response.json()
 * ```
 */
export type SendRequest = (method: Request['method'], path: string, options?: RequestOptions) => Promise<Response>

export function anyRequest(connection: Connection): SendRequest {
  return async (method, path, { query = {}, body, stream, ...call } = {}) => {
    const request: Request = {
      method,
      target: targetWithQuery(path.startsWith('/') ? path : `/${path}`, query),
      redirect: method === 'GET' || method === 'HEAD' ? 'follow' : 'error',
      notIdempotent: (method === 'POST' || method === 'PATCH') && call.idempotencyKey === undefined,
      ...(body !== undefined && (isSendable(body) ? { body } : jsonBody(body))),
      call,
    }
    if (stream) return open(connection, request)
    const { status, headers, body: bytes } = await send(connection, request)
    return new Response(bytes.length === 0 ? null : (bytes as BodyInit), { status, headers })
  }
}

function isSendable(body: unknown): body is NonNullable<Request['body']> {
  if (typeof body === 'string') return true
  return [Uint8Array, Blob, FormData, ReadableStream].some((type) => body instanceof type)
}
