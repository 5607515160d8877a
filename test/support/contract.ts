/** Compares what tests send and receive with the OpenAPI document that the service publishes. */
import { appendFileSync, readFileSync } from 'node:fs'
import { rewritePageUrl } from '@recto/contract/page-url.ts'
import { Ajv } from 'ajv'
import { connectHost, type HostConnection, hostOfServices } from './service-hosts.ts'

/**
 * The folders of tests whose requests are those of well-behaved clients, without faults, older releases and browsers.
 */
const FOLDERS = 'access|files|http|lifecycle|links|metadata|search|support|templates|webhooks'
const IS_COMPARED = new RegExp(`/test/(?:${FOLDERS})/[a-z-]+\\.test\\.ts$`).test(process.argv[1] ?? '')
/** Lists the differences in this file instead of failing. */
const LOG = process.env.RECTO_CONTRACT_LOG

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, object>> }
  readonly responses: Readonly<
    Record<string, { readonly $ref?: string; readonly content?: Readonly<Record<string, object>> }>
  >
}

interface Route {
  readonly template: string
  readonly pattern: RegExp
  readonly operations: Readonly<Record<string, Operation>>
}

/** A request and its response. */
export interface Exchange {
  readonly method: string
  readonly path: string
  readonly contentType: string | undefined
  /** The JSON that was sent. */
  readonly sent: unknown
  readonly status: number
  readonly type: string
  /** The JSON that was received. */
  readonly received: unknown
}

let connection: HostConnection | undefined

/**
 * Throws if the document does not describe the response, or the request of a successful one. A host of services compares
 * them; a file that is run alone has none, and compares nothing.
 */
export async function checkContract(exchange: Exchange): Promise<void> {
  const host = hostOfServices()
  if (host === undefined || !IS_COMPARED) return
  connection ??= connectHost(host)
  const { difference } = await connection.ask<{ readonly difference?: string }>({ exchange })
  if (difference === undefined) return
  const { method, path, status } = exchange
  const text = `the OpenAPI document differs: ${method} ${path} ${status}: ${difference}`
  if (LOG === undefined) throw new Error(text)
  appendFileSync(LOG, `${text}\n`)
}

/** What compares exchanges with the document in a file: each call returns the difference, if there is one. */
export function loadContract(file: string): (exchange: Exchange) => string | undefined {
  const document: { readonly paths: Readonly<Record<string, Route['operations']>> } = JSON.parse(
    readFileSync(file, 'utf8'),
  )
  const routes = routesOf(document.paths)
  const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false })
  ajv.addSchema(document, 'api')
  const check = (place: readonly string[], value: unknown) => {
    const pointer = place.map((name) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1')))
    const ref = `api#/${pointer.join('/')}`
    const validate = ajv.getSchema(ref) ?? ajv.compile({ $ref: ref })
    return validate(value) ? undefined : ajv.errorsText(validate.errors)
  }
  return (exchange) => {
    const [pathname = '', query = ''] = rewritePageUrl(exchange.path).split('?')
    const route = routes.find(({ pattern }) => pattern.test(pathname))
    const method = exchange.method.toLowerCase()
    const operation = route?.operations[method]
    // MCP describes itself.
    if (!route || !operation || route.template === '/mcp') return undefined
    const place = ['paths', route.template, method]
    if (exchange.type.startsWith('application/problem+json')) return differentError(operation, exchange)
    if (exchange.status >= 400) return undefined
    return (
      differentRequest(operation, exchange, query, (value) =>
        check([...place, 'requestBody', 'content', 'application/json', 'schema'], value),
      ) ?? differentResponse(operation, exchange, (...of) => check([...place, 'responses', ...of], exchange.received))
    )
  }
}

/** The routes with the fewest parameters first: `/pages/recent` before `/pages/{space}`. */
function routesOf(paths: Readonly<Record<string, Route['operations']>>): Route[] {
  const parameters = ({ template }: Route) => template.split('{').length
  return Object.entries(paths)
    .map(([template, operations]) => ({
      template,
      pattern: new RegExp(`^${template.replace(/[.]/g, '\\$&').replace(/\{\w+\}/g, '[^/]+')}$`),
      operations,
    }))
    .sort((a, b) => parameters(a) - parameters(b))
}

function differentError({ responses }: Operation, { status, received }: Exchange): string | undefined {
  const codes = responses[status]?.$ref?.split('/').at(-1)?.split('.') ?? []
  const { code } = received as { readonly code: string } // a problem document
  // Some nodes do not have every route.
  if (code === 'not_found' && responses[404] === undefined) return undefined
  return codes.includes(code) ? undefined : `the code ${code} is not described`
}

function differentRequest(
  { parameters = [], requestBody }: Operation,
  { contentType, sent }: Exchange,
  query: string,
  check: (value: unknown) => string | undefined,
): string | undefined {
  for (const name of new URLSearchParams(query).keys()) {
    if (!parameters.some((each) => each.in === 'query' && each.name === name)) {
      return `the query parameter ${name} is not described`
    }
  }
  if (sent === undefined || !/^application\/json\b/.test(contentType ?? '')) return undefined
  if (!requestBody?.content['application/json']) {
    return requestBody?.content['*/*'] ? undefined : 'no JSON body is described'
  }
  const difference = check(sent)
  return difference && `request ${difference}`
}

function differentResponse(
  { responses }: Operation,
  { status, type, received }: Exchange,
  check: (...place: string[]) => string | undefined,
): string | undefined {
  const response = responses[status]
  if (!response) return 'the status is not described'
  const mediaType = type.split(';')[0] ?? ''
  if (mediaType === '') return undefined
  if (!response.content?.[mediaType]) {
    return response.content?.['*/*'] ? undefined : `the media type ${mediaType} is not described`
  }
  return received === undefined ? undefined : check(String(status), 'content', mediaType, 'schema')
}
