/** Functions of operations, from the generated table. */
import { OPERATIONS, type Operations } from '../openapi-operations.ts'
import { encodePagePath, targetWithQuery } from './address.ts'
import { conditionHeaders, type IfMatch } from './condition.ts'
import { type Connection, type Request, withoutCallOptions } from './connection.ts'
import { jsonBody, parseJson, requestList } from './json.ts'
import type { ListCall } from './paging.ts'
import { send } from './request.ts'

/** The functions of all plain operations: each sends one request with parameters and JSON. */
export function buildOperations(connection: Connection): Operations {
  const groups: Group = {}
  for (const [id, row] of Object.entries(OPERATIONS)) {
    const names = id.split('.')
    let group = groups
    for (const name of names.slice(0, -1)) {
      group[name] ??= {}
      group = group[name] as Group // ids nest no function
    }
    group[names.at(-1) ?? ''] = buildOperation(connection, row)
  }
  return groups as unknown as Operations // generated from the same document
}

interface Group {
  [name: string]: Group | ((...values: unknown[]) => unknown)
}

/** A function for a row of the table, such as `GET /spaces/{space}/candidates?name list`. */
function buildOperation(connection: Connection, row: string): (...values: unknown[]) => unknown {
  const [method = '', address = '', ...words] = row.split(' ')
  const [path = '', ...required] = address.split(/[?&]/)
  const names = path.match(/\{\w+\}/g) ?? []
  return (...values) => {
    let target = path
    for (const name of names) target = target.replace(name, () => encodeValue(path, name, String(values.shift())))
    const query = Object.fromEntries(required.map((name) => [name, String(values.shift())]))
    const body = words.includes('body') ? values.shift() : undefined
    const options = { ...query, ...Object(values[0]) } as ListCall & IfMatch // as the declarations say
    if (words.includes('list')) return requestList(connection, target, options)
    const { ifMatch = words.includes('match') ? '*' : undefined, ...call } = options
    const request: Request = {
      method: method as Request['method'],
      target: targetWithQuery(target, withoutCallOptions(call)),
      redirect: method === 'GET' ? 'follow' : 'error',
      headers: conditionHeaders(ifMatch),
      notIdempotent: words.includes('once'),
      repeatable: words.includes('repeatable'),
      call,
    }
    return sendJson(connection, request, body)
  }
}

/** Paths of pages have a rule of their own for `.md`. */
function encodeValue(path: string, name: string, value: string): string {
  return name === '{path}' && !path.startsWith('/files/') ? encodePagePath(value) : encodeURIComponent(value)
}

/** Resolves to the JSON of the response, if it has any. A deletion that is repeated can find that it is gone. */
async function sendJson(connection: Connection, request: Request, body: unknown): Promise<unknown> {
  const json = body === undefined ? {} : jsonBody(body)
  const response = await send(connection, { ...request, ...json, headers: { ...json.headers, ...request.headers } })
  return response.status >= 400 || response.body.length === 0 ? undefined : parseJson(response)
}
