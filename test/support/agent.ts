import assert from 'node:assert/strict'
import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

/** An agent with the official client. */
export interface Agent extends AsyncDisposable {
  readonly client: Client
  call(name: string, args?: Readonly<Record<string, unknown>>): Promise<CallToolResult>
  /** The data of a call that must not be rejected. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  data(name: string, args?: Readonly<Record<string, unknown>>): Promise<any>
  /** The problem of a call that must be rejected with `code`. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  rejected(code: string, name: string, args?: Readonly<Record<string, unknown>>): Promise<any>
}

/** Connects over HTTP, as clients of either age do. */
export async function connectAgent(base: string, key: string | undefined, modern = false): Promise<Agent> {
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` }
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', base), { requestInit: { headers } })
  return agentOver(transport, modern)
}

/** An agent over any transport. */
export async function agentOver(transport: Parameters<Client['connect']>[0], modern = false): Promise<Agent> {
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: modern ? { pin: '2026-07-28' } : 'legacy' } },
  )
  await client.connect(transport)
  const call: Agent['call'] = (name, args = {}) => client.callTool({ name, arguments: { ...args } })
  return {
    client,
    call,
    async data(name, args) {
      const result = await call(name, { ...args, format: 'detailed' })
      assert.ok(!result.isError, textOf(result))
      return result.structuredContent
    },
    async rejected(code, name, args) {
      const result = await call(name, args)
      assert.equal(result.isError, true, `${name} was not rejected`)
      const text = textOf(result)
      assert.ok(text.startsWith(`${code}: `), text)
      assert.ok(text.length <= 250, `${text.length} characters: ${text}`)
      // biome-ignore lint/suspicious/noExplicitAny: as above
      const problem = result._meta?.['recto/problem'] as any
      assert.equal(problem.code, code)
      return problem
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** What a reader sees of a result. */
export function textOf(result: CallToolResult): string {
  return result.content.map((piece) => (piece.type === 'text' ? piece.text : '')).join('\n')
}
