import { type ApiResponse, type Connection, type Request, send } from './request.ts'

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
