import { createMcpHandler } from '@modelcontextprotocol/server'
import { createMcpServer, type Serving } from './server.ts'

/** Answers MCP requests; whoever calls gives what it serves from in `authInfo.extra.serving`. */
export function createHandler(onerror: (error: unknown) => void) {
  return createMcpHandler(({ authInfo }) => createMcpServer(authInfo?.extra?.serving as Serving), { onerror })
}
