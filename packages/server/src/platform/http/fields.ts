import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { addRouteHooks } from './hooks.ts'

/** The schema of a list, as far as it is needed here. */
interface ListSchema {
  readonly properties?: {
    readonly items?: { readonly items?: { readonly properties?: Readonly<Record<string, unknown>> } }
  }
}

/** Sparse fieldsets: every list of objects takes `?fields=path,title`, and keeps only these members of its items. */
export function selectFields(route: RouteOptions): void {
  const names = itemFields(route)
  const { querystring } = (route.schema ?? {}) as {
    querystring?: { readonly properties?: Readonly<Record<string, unknown>> }
  }
  if (names === undefined || querystring === undefined || querystring.properties?.fields) return
  const properties = { ...querystring.properties, fields: fieldsParameter(names) }
  route.schema = { ...route.schema, querystring: { ...querystring, properties } }
  addRouteHooks(route, { onSend: keepFields })
}

/** The members of the items of a list; none for a stream, which has other items. */
function itemFields({ method, schema }: RouteOptions): readonly string[] | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  if (schema?.produces?.includes('text/event-stream')) return undefined
  const { 200: list } = (schema?.response ?? {}) as { readonly 200?: ListSchema }
  const { properties } = list?.properties?.items?.items ?? {}
  return properties && Object.keys(properties)
}

function fieldsParameter(names: readonly string[]): object {
  return {
    type: 'array',
    explode: false,
    items: { type: 'string', enum: names },
    description: 'The members of the items that the response has, with commas between them. Default: all.',
  }
}

async function keepFields(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  const { fields } = request.query as { readonly fields?: readonly string[] } // as the parameter was validated
  const isJson = String(reply.getHeader('content-type')).startsWith('application/json')
  if (fields === undefined || reply.statusCode !== 200 || !isJson || typeof payload !== 'string') return payload
  const list: { readonly items: readonly object[] } = JSON.parse(payload)
  const keptFields = new Set(fields)
  const items = list.items.map((item) =>
    Object.fromEntries(Object.entries(item).filter(([name]) => keptFields.has(name))),
  )
  reply.removeHeader('content-length')
  return JSON.stringify({ ...list, items })
}
