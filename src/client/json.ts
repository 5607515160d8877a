import { type ApiResponse, type Connection, type Request, send } from './request.ts'

/** The answer to a request as JSON, in the shape that the API's schemas give it. */
export async function requestJson<T>(connection: Connection, request: Request): Promise<T> {
  return jsonOf(await send(connection, request))
}

/** The body of an answer as JSON. */
export function jsonOf<T>({ body }: ApiResponse): T {
  return JSON.parse(new TextDecoder().decode(body)) as T // as the API's schemas say
}

/** A body of JSON, with the header that names it. */
export function jsonBody(value: unknown): Pick<Request, 'headers' | 'body'> {
  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) }
}

/** For reads that follow a page or a space to where it stands now. */
export const read = { method: 'GET', redirect: 'follow' } as const
