import { setImmediate as nextTurn } from 'node:timers/promises'

/** Modules below the MCP SDK, lowest first. Evaluated in one turn they would block the event loop for some 150 ms. */
const PARTS = [
  'zod/v4/core',
  'zod/v4',
  '@modelcontextprotocol/core/internal',
  '@modelcontextprotocol/server/_shims',
  '@modelcontextprotocol/server',
]

/**
 * Imports the MCP handler part by part, and compiles its first schemas by serving a `ping`, with a turn of the event
 * loop between the steps.
 */
export async function loadHandlerModule() {
  for (const part of PARTS) {
    // Only the timing depends on it: a part that the package manager did not hoist is loaded by the next one.
    await import(part).catch(() => undefined)
    await nextTurn()
  }
  const { createHandler } = await import('./handler.ts')
  await nextTurn()
  await servePing(createHandler)
  await nextTurn()
  return { createHandler }
}

async function servePing(createHandler: typeof import('./handler.ts').createHandler): Promise<void> {
  const handler = createHandler(() => {})
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const request = new Request('http://localhost/mcp', { method: 'POST', headers })
  const authInfo = { token: '', clientId: '', scopes: [], extra: { context: { version: '' } } }
  const response = await handler.fetch(request, { parsedBody: { jsonrpc: '2.0', id: 1, method: 'ping' }, authInfo })
  await response.text()
  await handler.close()
}
