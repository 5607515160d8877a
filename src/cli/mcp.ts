import { Readable } from 'node:stream'
import { EXIT, type Terminal } from './command.ts'
import { connectionOf } from './connection.ts'
import { relayMessages } from './mcp-relay.ts'

/** `recto mcp`: the MCP endpoint of a service over stdio. */
export async function mcpCommand(terminal: Terminal): Promise<number> {
  const answer = (line: string) => terminal.out(`${line}\n`)
  await relayMessages(linesOf(terminal.input ?? Readable.from([])), { ...connectionOf(terminal), answer })
  return EXIT.done
}

/** Not `node:readline`: that ends lines at U+2028 too, which JSON may hold as it is. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let pieces: string[] = []
  for await (const chunk of input) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n')
    pieces.push(first)
    for (const next of others) {
      yield pieces.join('')
      pieces = [next]
    }
  }
  yield pieces.join('')
}
