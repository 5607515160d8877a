import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { isJsonObject } from '@recto/lib/json/json.ts'
import { createMcpServer, type McpContext } from './server.ts'

interface HandlerRequest {
  readonly authInfo: AuthInfo
  readonly parsedBody: unknown
}

/** The handler of MCP requests. The route passes an `McpContext` in `authInfo.extra.context`. */
export function createHandler(onerror: (error: unknown) => void) {
  const modern = createMcpHandler(({ authInfo }) => createMcpServer(readContext(authInfo), 'modern'), {
    legacy: 'reject',
    onerror,
  })
  return {
    bus: modern.bus,
    close: () => modern.close(),
    async fetch(request: Request, message: HandlerRequest): Promise<Response> {
      return (await isLegacyRequest(request, message.parsedBody))
        ? serveLegacy(request, message)
        : modern.fetch(request, message)
    },
  }
}

/**
 * Serves a request before the revision 2026-07-28 by a server of its own. No tool sends a message before its result, so
 * that the response is JSON and no stream. The server holds nothing that would have to be closed.
 */
async function serveLegacy(request: Request, { authInfo, parsedBody }: HandlerRequest): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await createMcpServer(readContext(authInfo), 'legacy').connect(transport)
  return transport.handleRequest(request, { authInfo, parsedBody: withoutCancellations(parsedBody) })
}

/** A request that is cancelled by its own batch would never get a response, and so neither would the batch. */
function withoutCancellations(body: unknown): unknown {
  const isCancellation = (message: unknown) => isJsonObject(message) && message.method === 'notifications/cancelled'
  return Array.isArray(body) ? body.filter((message) => !isCancellation(message)) : body
}

function readContext(authInfo: AuthInfo | undefined): McpContext {
  return authInfo?.extra?.context as McpContext
}
