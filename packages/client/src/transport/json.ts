import { type QueryValue, targetWithQuery } from './address.ts'
import { type ApiResponse, type Connection, type Request, withoutCallOptions } from './connection.ts'
import { createListing, type List, type ListCall, type Listing } from './paging.ts'
import { send } from './request.ts'

/** The list at a URL; the further members of the options are query parameters. */
export function requestList<T, P extends List<T> = List<T>>(
  connection: Connection,
  target: string,
  options: ListCall = {},
): Listing<T, P> {
  return createListing((cursor) => {
    const query = { ...(withoutCallOptions(options) as Record<string, QueryValue>), cursor }
    return requestJson<P>(connection, { ...read, target: targetWithQuery(target, query), call: options })
  })
}

/** Sends a request and parses the JSON of the response. */
export async function requestJson<T>(connection: Connection, request: Request): Promise<T> {
  return parseJson(await send(connection, request))
}

export function parseJson<T>({ body }: ApiResponse): T {
  return JSON.parse(new TextDecoder().decode(body)) as T // as the schemas of the API say
}

export function jsonBody(value: unknown): Pick<Request, 'headers' | 'body'> {
  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value, finite) }
}

/** JSON.stringify writes null for these, which deletes a key of metadata. */
function finite(key: string, value: unknown): unknown {
  if (typeof value !== 'number' || Number.isFinite(value)) return value
  throw new RangeError(`\`${key}\` is ${value}, which is no number of JSON`)
}

/** For reads that follow redirects of moved pages and spaces. */
export const read = { method: 'GET', redirect: 'follow' } as const
