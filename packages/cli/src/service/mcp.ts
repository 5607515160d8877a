import { Readable } from 'node:stream'
import type { Terminal } from '../command.ts'
import { resolveConnection } from '../connection.ts'
import { relayMessages } from './mcp-relay.ts'

/** `recto mcp`: an MCP server over stdio that relays to the endpoint of a service. */
export async function mcpCommand(terminal: Terminal): Promise<void> {
  const respond = (line: string) => terminal.out(`${line}\n`)
  await relayMessages(readLines(terminal.input ?? Readable.from([])), { ...resolveConnection(terminal), respond })
}

/** Not `node:readline`, which also ends lines at U+2028, a character that JSON may contain unescaped. */
async function* readLines(input: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let parts: string[] = []
  for await (const chunk of input) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n')
    parts.push(first)
    for (const next of others) {
      yield parts.join('')
      parts = [next]
    }
  }
  yield parts.join('')
}
