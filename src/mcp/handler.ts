import { createMcpHandler } from '@modelcontextprotocol/server'
import { createMcpServer, type McpContext } from './server.ts'

/** The handler of MCP requests. The route passes an `McpContext` in `authInfo.extra.context`. */
export function createHandler(onerror: (error: unknown) => void) {
  return createMcpHandler(
    ({ authInfo, era }) => createMcpServer(authInfo?.extra?.context as McpContext, era),
    {
      onerror,
    },
  )
}
